"""A warning is the cause where the file without it is right, and not told as one where it is not."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from onekernel.backends.base import Finding
from onekernel.grading.suspicions import fixed
from onekernel.messages import Message
from onekernel.simulator.compilation.lint import lint
from support.corpus import graded

KERNEL = """#include <cuda_runtime.h>
#include <stdint.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    float v[4];
    const int64_t first = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) * 4;
    for (int k = 0; k < 4; ++k) {
        const int at = (threadIdx.x + k) % 4;
        v[at] = first + at < n ? a[first + at] + b[first + at] : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < 4; ++k) {
        if (first + k < n) out[first + k] = v[k];
    }
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    add<<<(unsigned)((n + 511) / 512), 128, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
"""


def told(path: Path, text: str) -> list[str]:
    """The sentences' keys, those that are joined in a sentence too."""
    path.write_text(text, encoding="utf-8")
    result = graded(path, "vector_add", "simulator", frozenset({"tails"}))
    messages = [f.message for v in result.verdicts for f in v.failures]
    inside = [m for message in messages for m in message.values.values() if isinstance(m, Message)]
    return [m.key for m in (*messages, *inside)]


@pytest.mark.slow
def test_an_array_that_a_thread_needs_is_no_cause_of_a_lost_value(tmp_path: Path) -> None:
    path = tmp_path / "vector_add.cu"
    assert told(path, KERNEL) == []
    lost = told(path, KERNEL.replace("= v[k]", "= first + k < n - 1 || n == 1 ? v[k] : 0.0f"))
    assert "grading.values" in lost and not [key for key in lost if key.startswith("compile.")]


@pytest.mark.slow
def test_of_two_slips_that_only_together_make_it_wrong_one_is_named(tmp_path: Path) -> None:
    text = KERNEL.replace("float v[4];", "int v[4]; // cut\n    int w = 0;").replace("= v[k]", "= v[k] + w")
    keys = told(tmp_path / "vector_add.cu", text)
    assert keys[0] == "compile.warning-fixed" and "compile.warning-cuts" in keys


MENDS = [
    ("own-array", {"name": "s"}, "    float s[256];", ["    __shared__ float s[256];"]),
    ("assignment", {}, "  if (i = n) return;", ["  if (i == n) return;"]),
    ("uninitialised", {"name": "sum"}, "float sum, b;", ["float sum = 0, b;", "float sum = -INFINITY, b;"]),
    ("uninitialised", {"name": "acc"}, "float acc[4][2];", ["float acc[4][2] = {};"]),
    ("no-call", {"name": "__syncthreads"}, "__syncthreads;", ["__syncthreads();"]),
    ("empty-body", {"word": "for"}, "for (j = 0; j < 3; ++j);", ["for (j = 0; j < 3; ++j)"]),
    ("cuts", {}, "int sum = expf(x);", ["float sum = expf(x);"]),
    ("float-counter", {"name": "j"}, "for (float j = 0; j < n; ++j)", ["for (long long j = 0; j < n; ++j)"]),
    ("bytes", {"count": "n"}, "cudaMemset(out, 0, n);", ["cudaMemset(out, 0, (n) * sizeof(*(out)));"]),
    ("other-type", {"type": "int"}, "float v = ((const int*)a)[i];", ["float v = (a)[i];"]),
    ("quotient", {"quotient": "1 / 2", "instead": "1.0f / 2.0f"}, "y = 1 / 2 * x;", ["y = 1.0f / 2.0f * x;"]),
    ("own-output", {"name": "y"}, "  cudaMalloc(&y, n);", ["  ;"]),
    ("set-bytes", {"call": "cudaMemset"}, "cudaMemset(out, 1, 4);", ["cudaMemset(out, 0, 4);"]),
    ("masked-index", {"name": "n"}, "y[i] = x[c + i & (n - 1)];", ["y[i] = x[(c + i) % n];"]),
    ("shuffle-lane", {"name": "o"}, "v += __shfl_sync(m, v, o);", ["v += __shfl_xor_sync(m, v, o);"]),
    ("shuffle-width", {"width": "16"}, "v += __shfl_down_sync(m, v, 16, 16);", ["v += __shfl_down_sync(m, v, 16);"]),
    ("shadows", {"name": "s"}, "  float s = 0; s += x;", ["  s = 0; s += x;", "  s += 0; s += x;", "   s += x;"]),
    ("never-used", {"name": "k"}, "int k = 3;", []),
]  # fmt: skip


def test_a_sum_in_16_bits_is_fixed_to_one_in_float() -> None:
    """It, and what is set to it, while other values stay of 16 bits."""
    lines = ["T own = (T)0.0f, t;", "own = __hadd(own, (T)expf(v));", "y[i] = (T)(v / __half2float(own));"]
    message = Message("compile.warning-narrow-sum", {"name": "own", "type": "T"})
    (found,) = fixed("\n".join(lines), [Finding("warning-narrow-sum", message, "k.cu", 1, "warning")])
    defined, instead = found.splitlines()[:-3], found.splitlines()[-3:]
    assert all(line.startswith("#define ok_") for line in defined)
    assert instead == ["float own = (float)0.0f, t;", "own = ok_add(own, (float)expf(v));",
                       "y[i] = (T)(v / (float)(own));"]  # fmt: skip


@pytest.mark.parametrize(("kind", "values", "line", "instead"), MENDS, ids=[m[0] for m in MENDS])
def test_a_line_is_fixed(kind: str, values: dict[str, object], line: str, instead: list[str]) -> None:
    finding = Finding(f"warning-{kind}", Message(f"compile.warning-{kind}", values), "k.cu", 2, "warning")
    found = list(fixed(f"// first\n{line}\n// last", [finding]))
    assert found == [f"// first\n{text}\n// last" for text in instead]


def test_a_long_file_is_looked_through_once_for_each_rule() -> None:
    lines = [f"__device__ float part_{k}(float* x, int n) {{ return x[n % {k + 1}] * 2.0f + n; }}" for k in range(3000)]
    began = time.process_time()
    found = list(lint({"long.cu": "\n".join([*lines, "int* counts;", "cudaMalloc(counts, 4);"])}))
    assert [(line, key) for _, line, key, _ in found] == [(3002, "no-address")]
    assert time.process_time() - began < 5  # walked through again at each line: 20
