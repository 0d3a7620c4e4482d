"""What is right and not fused loses the points for memory: two kernels with the result of the first between them, and
rows that are read again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from onekernel.grading.grader import fresh_seed, grade
from onekernel.grading.submission import Submission
from support.course import COURSE, ROOT

pytestmark = pytest.mark.slow

GELU_IN_TWO = """
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void probability(const float* x, float* y, int64_t n, int64_t approximate) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float v = x[i];
    const float by_tanh = 0.5f * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
    y[i] = approximate ? by_tanh : 0.5f * (1.0f + erff(v * 0.7071067812f));
}

__global__ void product(const float* x, float* y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] *= x[i];
}

extern "C" cudaError_t gelu(const float* x, float* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    probability<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(x, y, n, approximate);
    product<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}
"""


def unmutated(name: str, edit: tuple[str, str]) -> str:
    """A wrong submission of the corpus without its bug: three walks over a row, an element at a time."""
    text = (ROOT / "tests" / "wrong" / f"{name}.cu").read_text(encoding="utf-8")
    assert edit[0] in text
    return text.replace(*edit)


SUBMISSIONS = {
    "gelu": (GELU_IN_TWO, {"memory-bytes-requested"}),
    "softmax_mul": (
        unmutated("mul_divided_by_w", ("/ (sum * w_row[j])", "/ sum * w_row[j]")),
        {"memory-passes", "memory-bytes-moved"},
    ),
    "rmsnorm": (
        unmutated("rms_no_eps", ("/ cols);", "/ cols + eps);")),
        {"memory-passes", "memory-barriers"},
    ),
}


@pytest.mark.parametrize("slug", SUBMISSIONS)
def test_what_is_right_and_reads_again_loses_the_points_for_memory(slug: str, tmp_path: Path) -> None:
    text, codes = SUBMISSIONS[slug]
    path = tmp_path / f"{slug}.cu"
    path.write_text(text, encoding="utf-8")
    known = COURSE.exercises[slug]
    checks = tuple(c for c in known.checks if c.kind.name in ("correct", "memory"))
    exercise = replace(known, dtypes=("float32",), checks=checks)
    result = grade(Submission(COURSE, exercise, path, "simulator", fresh_seed()))
    for verdict in result.verdicts:
        failed = {f.code for f in verdict.failures}
        if verdict.check.kind.name == "correct":
            assert not failed, [str(f.message) for f in verdict.failures]
        else:
            assert failed <= codes, failed
    lost = [v for v in result.verdicts if v.failures]
    assert {f.code for v in lost for f in v.failures} == codes
    assert all(v.earned < v.check.points for v in lost)
