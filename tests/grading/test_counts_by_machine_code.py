"""Points for counts where NVIDIA's compiler is: its machine code may earn more than what is written, never less."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from onekernel.backends.machine_code import disassembler
from onekernel.cuda import nvcc
from onekernel.grading.grader import fresh_seed, grade
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import NOT_ASSESSED, PARTIAL, PASSED, Verdict
from support.course import COURSE, ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        nvcc.find() is None or disassembler() is None, reason="NVIDIA's compiler and its disassembler are not here"
    ),
]

# Each thread reads four neighbours of the block's tile. As written a warp's lanes meet in 8 banks; the compiler makes
# one access of 16 bytes of the four, which has no conflict.
NEIGHBOURS = """#include <cuda_runtime.h>
#include <stdint.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    __shared__ __align__(16) float tile[1024];
    const int64_t first = (int64_t)blockIdx.x * 1024;
    for (int k = threadIdx.x; k < 1024; k += 256) tile[k] = first + k < n ? a[first + k] : 0.0f;
    __syncthreads();
    float sum[4];
    for (int k = 0; k < 4; k++) sum[k] = tile[4 * threadIdx.x + k];
    for (int k = 0; k < 4; k++) {
        const int64_t i = first + 4 * threadIdx.x + k;
        if (i < n) out[i] = sum[k] + b[i];
    }
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n > 0) add<<<(unsigned)((n + 1023) / 1024), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
"""


def memory(slug: str, path: Path, number: int = 0, **options: object) -> Verdict:
    """The verdict of the exercise's memory check of that number."""
    exercise = COURSE.exercises[slug]
    checks = [c for c in exercise.checks if c.kind.name == "memory"]
    one = replace(checks[number], options={**checks[number].options, **options})
    some = replace(exercise, checks=(one,), dtypes=("float32",))
    (verdict,) = grade(Submission(COURSE, some, path, "simulator", fresh_seed())).verdicts
    return verdict


def test_what_only_the_compiler_makes_worse_costs_nothing_and_is_told(tmp_path, monkeypatch):
    # Its loop over vectors is unrolled, and then each store of 16 bytes is made four stores of 4.
    rung = (ROOT / "solutions/ladder/5_vector_loads.cu").read_text(encoding="utf-8")
    path = tmp_path / "softmax_block.cu"
    store = "*(float4*)(y_row + head + v * 4) = e;"
    rung = re.sub(r"__stcs\(\(float4\*\)\(y_row.*\), e\);", store, rung)  # the rung's own store stays whole
    path.write_text(re.sub(r"\bladder_vector_loads\b", "softmax_block", rung), encoding="utf-8")
    monkeypatch.setenv("ONEKERNEL_NVCC", "off")
    written = memory("softmax_block", path, 1)
    monkeypatch.setenv("ONEKERNEL_NVCC", "on")
    by_code = memory("softmax_block", path, 1)
    assert (by_code.status, by_code.earned, by_code.note) == (PARTIAL, written.earned, written.note)
    assert [d.key for d in by_code.details] == ["grading.compiler-makes-more"] and not written.details
    line = by_code.details[0].values["line"]
    assert path.read_text(encoding="utf-8").splitlines()[line - 1].strip().startswith(store)


def test_what_the_compiler_makes_better_earns_its_points(tmp_path, monkeypatch):
    path = tmp_path / "vector_add.cu"
    path.write_text(NEIGHBOURS, encoding="utf-8")
    limits = {"measure": "bank_conflicts", "full": 0.05, "zero": 1.0}
    monkeypatch.setenv("ONEKERNEL_NVCC", "off")
    written = memory("vector_add", path, **limits)
    assert (written.status, written.note.key) == (NOT_ASSESSED, "grading.compiler-merges")
    assert NEIGHBOURS.splitlines()[written.note.values["line"] - 1].lstrip().startswith("for (int k = 0; k < 4; k++) s")
    monkeypatch.setenv("ONEKERNEL_NVCC", "on")
    assert memory("vector_add", path, **limits).status == PASSED
