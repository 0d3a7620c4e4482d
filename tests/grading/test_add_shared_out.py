"""Lab 00: who adds what. One thread for everything asks for no byte too many, and is no vector add for a GPU."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import Result
from support.course import COURSE

ADD = """\
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    const int64_t t = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    BODY
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    add<<<LAUNCH, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
"""
STRIDE = "for (int64_t i = t; i < n; i += (int64_t)gridDim.x * blockDim.x) out[i] = a[i] + b[i];"
OWN = "if (t < n) out[t] = a[t] + b[t];"
PAIR = "for (int64_t i = 2 * t; i < n && i < 2 * t + 2; ++i) out[i] = a[i] + b[i];"


def graded(body: str, launch: str, folder: Path) -> Result:
    exercise = COURSE.exercises["vector_add"]
    (memory,) = (c for c in exercise.checks if c.kind.name == "memory")
    exercise = replace(exercise, checks=(exercise.checks[0], memory))
    path = folder / exercise.file
    path.write_text(ADD.replace("BODY", body).replace("LAUNCH", launch), encoding="utf-8")
    return grade(Submission(COURSE, exercise, path, "simulator", 1))


ONE_EACH = ("(unsigned)n, 1", "memory-bytes-moved", "few threads of a warp take part")


@pytest.mark.parametrize(("body", "launch", "code", "said"), [
    (STRIDE, "1, 1", "memory-one-thread", "A single thread does all the work"),
    pytest.param(OWN, *ONE_EACH, marks=pytest.mark.slow),
])  # fmt: skip
def test_work_that_warps_do_not_share_is_right_and_loses_the_points_for_access(
    body: str, launch: str, code: str, said: str, tmp_path: Path
) -> None:
    correct, memory = graded(body, launch, tmp_path).verdicts
    assert correct.status == "passed" and memory.earned == 0
    (failure,) = memory.failures
    assert failure.code == code and said in failure.message.text("en")


@pytest.mark.slow
@pytest.mark.parametrize(("body", "launch"), [
    (STRIDE, "1, 96"),
    (STRIDE, "7, 33"),
    (OWN, "(unsigned)((n + 15) / 16), 16"),
    (PAIR, "(unsigned)((n + 511) / 512), 256"),
])  # fmt: skip
def test_any_launch_that_shares_the_work_keeps_them(body: str, launch: str, tmp_path: Path) -> None:
    result = graded(body, launch, tmp_path)
    assert result.status == "passed", [str(f.message) for v in result.verdicts for f in v.failures]
