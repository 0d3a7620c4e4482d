"""Points for memory behaviour come from counts; counts that no right kernel can have earn nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from onekernel.grading.grader import fresh_seed, grade
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import NOT_ASSESSED, PASSED, Verdict
from support.compilers import CLANGS, GCCS
from support.course import COURSE

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
    cudaStreamSynchronize(stream);
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
IDLE = ADDED_BY_THE_HOST.replace("to[i] = from[i];", "return;").replace(
    "cudaFree(sums);", "cudaMemcpyAsync(out, sums, n * 4, cudaMemcpyDeviceToDevice, stream);"
)

OWN_VECTORS = """#include <cuda_runtime.h>
#include <stdint.h>

struct alignas(16) Four { float x, y, z, w; };

__global__ void add(const float* a, const float* b, float* out, int64_t n, bool aligned) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (aligned && 4 * i + 3 < n) {
        Four p = ((const Four*)a)[i], q = ((const Four*)b)[i];
        p.x += q.x, p.y += q.y, p.z += q.z, p.w += q.w;
        ((Four*)out)[i] = p;
    } else {
        for (int64_t k = 4 * i; k < n && k < 4 * i + 4; k++) out[k] = a[k] + b[k];
    }
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    const bool aligned = ((uintptr_t)a | (uintptr_t)b | (uintptr_t)out) % 16 == 0;
    add<<<(unsigned)((n + 1023) / 1024), 256, 0, stream>>>(a, b, out, n, aligned);
    return cudaGetLastError();
}
"""


BY_ATOMICS = """#include <cuda_runtime.h>
#include <stdint.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float once = a[i], again = __int_as_float(READ);
    out[i] = (once == once ? again : once) + b[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
"""


def graded(tmp_path: Path, text: str, **options: object) -> list[Verdict]:
    exercise = COURSE.exercises["vector_add"]
    path = tmp_path / exercise.file
    path.write_text(text)
    memory = (replace(c, options={**c.options, **options}) for c in exercise.checks if c.kind.name == "memory")
    some = replace(exercise, checks=(exercise.checks[0], *memory))
    result = grade(Submission(COURSE, some, path, "simulator", fresh_seed()))
    return list(result.verdicts)


def codes(tmp_path: Path, text: str) -> dict[str, set[str]]:
    return {v.check.kind.name: {f.code for f in v.failures} for v in graded(tmp_path, text)}


@pytest.mark.slow
def test_traffic_below_the_least_earns_nothing(tmp_path: Path) -> None:
    assert codes(tmp_path, ADDED_BY_THE_HOST) == {"correct": {"host-copy"}, "memory": {"right-first"}}


def test_an_answer_that_kernels_did_not_store_is_refused(tmp_path: Path) -> None:
    assert codes(tmp_path, IDLE) == {"correct": {"host-copy"}, "memory": {"right-first"}}


@pytest.mark.parametrize("read", ["atomicOr((int*)&a[i], 0)", "atomicCAS((int*)&a[i], 7, 7)"])
@pytest.mark.slow
def test_an_input_that_atomics_read_earns_nothing(tmp_path: Path, read: str) -> None:
    """No count of loads has them, on a card neither: a second pass would look like none."""
    assert codes(tmp_path, BY_ATOMICS.replace("READ", read)) == {"correct": set(), "memory": {"input-by-atomics"}}


@pytest.mark.parametrize("clang", CLANGS)
@pytest.mark.slow  # its runtime is compiled first
def test_counts_that_clang_may_have_split_are_not_graded(
    clang: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def statuses(text: str, measure: str, full: float = 1.1, **options: object) -> list[str]:
        return [v.status for v in graded(tmp_path, text, measure=measure, full=full, zero=2, **options)]

    monkeypatch.setenv("ONEKERNEL_CXX", GCCS[0])
    assert statuses(OWN_VECTORS, "bytes_moved") == [PASSED, PASSED]
    monkeypatch.setenv("ONEKERNEL_CXX", clang)
    assert statuses(OWN_VECTORS, "bytes_moved") == [PASSED, NOT_ASSESSED]
    assert statuses(OWN_VECTORS, "bytes_requested") == [PASSED, PASSED]
    assert statuses(OWN_VECTORS, "bytes_requested", after={"bytes_moved": 1.1}) == [PASSED, NOT_ASSESSED]
    own = "struct alignas(16) Four { float x, y, z, w; };"
    assert statuses(OWN_VECTORS.replace(own, "").replace("Four", "float4"), "bytes_moved") == [PASSED, PASSED]
    # Too high, if anything, and within the limit all the same; but for a share, of which the whole may be too high.
    idle = OWN_VECTORS.replace("Four", "float4").replace(own.replace("Four", "float4"), own)
    assert statuses(idle, "bytes_moved") == [PASSED, PASSED]
    index = "int64_t i = (int64_t)"
    conflict = "__shared__ float two[512];\n    two[2 * threadIdx.x] = n;\n    if (two[2 * threadIdx.x] < 0) return;\n"
    assert statuses(idle, "bank_conflicts", 0.9) == [PASSED, PASSED]
    assert statuses(idle.replace(index, conflict + index), "bank_conflicts", 0.9) == [PASSED, NOT_ASSESSED]
