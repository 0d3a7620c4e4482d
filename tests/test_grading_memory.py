"""Points for memory behaviour come from counts; counts that no right kernel can have earn nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from onekernel import course
from onekernel.course import find_root
from onekernel.grading.grader import fresh_seed, grade
from onekernel.grading.submission import Submission

# The host adds, the kernel copies: two thirds of the least traffic, which would look better than perfect.
ADDED_BY_THE_HOST = """#include <cuda_runtime.h>
#include <stdint.h>
#include <vector>

__global__ void copy(const float* from, float* to, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    std::vector<float> p(n), q(n);
    cudaMemcpy(p.data(), a, n * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(q.data(), b, n * 4, cudaMemcpyDeviceToHost);
    for (int64_t i = 0; i < n; i++) p[i] += q[i];
    float* sums;
    cudaMalloc((void**)&sums, n * 4);
    cudaMemcpy(sums, p.data(), n * 4, cudaMemcpyHostToDevice);
    copy<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(sums, out, n);
    cudaFree(sums);
    return cudaGetLastError();
}
"""
IDLE = ADDED_BY_THE_HOST.replace("to[i] = from[i];", ";").replace(
    "cudaFree(sums);", "cudaMemcpy(out, sums, n * 4, cudaMemcpyDeviceToDevice);"
)


def codes(tmp_path: Path, text: str) -> dict[str, set[str]]:
    whole = course.load(find_root(Path(__file__).parent))
    exercise = whole.exercises["vector_add"]
    path = tmp_path / exercise.file
    path.write_text(text)
    some = replace(exercise, checks=tuple(c for c in exercise.checks if c.kind == "memory" or c is exercise.checks[0]))
    result = grade(Submission(whole, some, path, "simulator", fresh_seed()))
    return {v.check.kind: {f.code for f in v.failures} for v in result.verdicts}


def test_traffic_below_the_least_earns_nothing(tmp_path: Path) -> None:
    assert codes(tmp_path, ADDED_BY_THE_HOST) == {"correct": set(), "memory": {"loaded-too-little"}}


def test_an_answer_that_kernels_did_not_store_is_refused(tmp_path: Path) -> None:
    assert codes(tmp_path, IDLE) == {"correct": {"no-kernel"}, "memory": {"right-first"}}
