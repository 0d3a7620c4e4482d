"""What no input has tried of a right file is said in a sentence, and costs nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from onekernel.grading.verdicts import PASSED
from support.corpus import graded

ADD = """#include <cuda_runtime.h>
#include <stdint.h>
__global__ void usual(const float* a, const float* b, float* out, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}
__global__ void of_twelve(const float* a, const float* b, float* out, int64_t n) {
    out[threadIdx.x] = a[threadIdx.x] + b[0];
}
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    const unsigned blocks = (unsigned)((n + 255) / 256);
    if (n == 12) of_twelve<<<1, 12, 0, stream>>>(a, b, out, n);
    else if (n) LAUNCH<<<blocks, 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
"""


@pytest.mark.parametrize(("launched", "told"), [("usual", ["of_twelve"]), ("kernel", ["of_twelve"])])
def test_a_kernel_that_no_input_launches_is_named_whatever_launches_the_others(tmp_path: Path, launched, told):
    text = ADD.replace("LAUNCH", launched)
    if launched == "kernel":
        text = text.replace("    if (n == 12)", "    const auto kernel = n % 2 ? usual : usual;\n    if (n == 12)")
    path = tmp_path / "vector_add.cu"
    path.write_text(text, encoding="utf-8")
    result = graded(path, "vector_add", "simulator", frozenset(("tails",)))
    assert result.status == PASSED, [str(f.message) for v in result.verdicts for f in v.failures]
    details = [d for v in result.verdicts for d in v.details if d.key == "grading.untried"]
    assert [d.values["kernels"] for d in details] == told
