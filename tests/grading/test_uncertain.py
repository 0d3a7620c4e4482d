"""What NVIDIA's compiler may make less of costs no points where it is missing, whoever asks for the count."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from onekernel import checks, course
from onekernel.backends.machine_code import disassembler
from onekernel.cuda import nvcc
from onekernel.grading.grader import fresh_seed, grade
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import FAILED, NOT_ASSESSED, PASSED, Verdict
from support.course import COURSE

pytestmark = pytest.mark.slow
compiled = pytest.mark.skipif(
    nvcc.find() is None or disassembler() is None, reason="NVIDIA's compiler and its disassembler are not here"
)

# Each element of a is read by two loops; unrolled, they need it once.
TWO_WALKS = """#include <cuda_runtime.h>
#include <stdint.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n, int each) {
    const int64_t begin = (int64_t)blockIdx.x * 1024, first = begin + threadIdx.x;
    if (begin + 1024 > n) {
        for (int64_t i = first; i < n; i += 256) out[i] = a[i] + b[i];
        return;
    }
    float most = -1, sums[4] = {};
    for (int k = 0; k < LENGTH; ++k) most = fmaxf(most, a[first + 256 * k]);
    for (int k = 0; k < LENGTH; ++k) sums[k] = a[first + 256 * k] + (most > 3e38f ? 1.0f : 0.0f);  // again
    for (int k = 0; k < 4; ++k) out[first + 256 * k] = sums[k] + b[first + 256 * k];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n > 0) add<<<(unsigned)((n + 1023) / 1024), 256, 0, stream>>>(a, b, out, n, 4);
    return cudaGetLastError();
}
"""
# Every other block loads an element of which it makes nothing; the compiler may load behind the test.
LOADED_EARLY = TWO_WALKS[: TWO_WALKS.index("__global__")] + """
__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, last = n - 1;
    const float first = a[i % n];  // early
    if (i > last) return;
    out[i] = first + b[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n > 0) add<<<(unsigned)((2 * n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
"""
# Every other thread loads two elements and uses one.
NARROWED = TWO_WALKS[: TWO_WALKS.index("__global__")] + """
__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 2 == 0 && i + 1 < n && (uintptr_t)a % 8 == 0) {
        const float2 v = reinterpret_cast<const float2*>(a)[i / 2];  // half
        out[i] = v.x + b[i];
    } else if (i < n) {
        out[i] = a[i] + b[i];
    }
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n > 0) add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
"""
LIMITS = {"limits": {"load_sectors": 1}, "sizes": {"n": 4096}}
QUESTIONS = {"questions": [{"id": "loaded", "quantity": "bytes_loaded"}], "sizes": {"n": 4096}}


def verdict(folder: Path, length: str, kind: str, options: dict[str, object], text: str = TWO_WALKS) -> Verdict:
    path = folder / "vector_add.cu"
    path.write_text(text.replace("LENGTH", length), encoding="utf-8")
    title = course.Text("Frugal", "Sin derroche")
    check = course.Check("vector_add.1-counted", checks.named(kind), 2, title, "00-motivation#roofline", options)
    exercise = replace(COURSE.exercises["vector_add"], checks=(check,))
    predictions = {"loaded": "32 KiB"}  # each element of a and of b once
    (one,) = grade(Submission(COURSE, exercise, path, "simulator", fresh_seed(), predictions)).verdicts
    return one


@pytest.mark.parametrize(
    ("text", "why", "mark"),
    [(TWO_WALKS, "repeats", "// again"), (LOADED_EARLY, "early", "// early"), (NARROWED, "narrows", "// half")],
)
@pytest.mark.parametrize(("kind", "options"), [("limits", LIMITS), ("prediction", QUESTIONS)])
def test_a_count_that_may_be_less_costs_nothing_and_names_the_line(
    tmp_path: Path, kind: str, options: dict[str, object], text: str, why: str, mark: str
) -> None:
    one = verdict(tmp_path, "4", kind, options, text)
    assert (one.status, one.note and one.note.key) == (NOT_ASSESSED, f"grading.compiler-{why}")
    assert one.note is not None
    assert text.splitlines()[int(str(one.note.values["line"])) - 1].endswith(mark)


@compiled
@pytest.mark.parametrize(("kind", "options"), [("limits", LIMITS), ("prediction", QUESTIONS)])
def test_where_the_compiler_is_the_same_count_earns_its_points(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, options: dict[str, object]
) -> None:
    monkeypatch.setenv("ONEKERNEL_NVCC", "on")
    one = verdict(tmp_path, "4", kind, options)
    assert (one.status, one.earned) == (PASSED, 2)


@pytest.mark.parametrize(("kind", "options"), [("limits", LIMITS), ("prediction", QUESTIONS)])
def test_what_no_compiler_can_leave_out_costs_its_points(
    tmp_path: Path, kind: str, options: dict[str, object]
) -> None:
    """The loops' length is an argument of the kernel: nobody unrolls them."""
    one = verdict(tmp_path, "each", kind, options)
    assert one.status != NOT_ASSESSED and one.earned < 2
    assert one.status == FAILED or kind == "prediction"
