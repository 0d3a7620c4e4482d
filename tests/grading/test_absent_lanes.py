"""A shuffle from a lane that is not there is told where the result depends on it, and never for another cause."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.corpus import graded

# The last warp of a block may lack lanes: what a lane is given for one of those is not added.
RIGHT = """#include <cuda_runtime.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 256
#endif

constexpr int kWarps = (BLOCK + 31) / 32;

__device__ float of_block(float v) {
    __shared__ float s[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int lanes = min(32, BLOCK - warp * 32);
    const unsigned mask = __activemask();
    for (int k = 16; k > 0; k /= 2) {
        const float beyond = __shfl_down_sync(mask, v, k);
        if (lane + k < lanes) v += beyond;
    }
    if (lane == 0) s[warp] = v;
    __syncthreads();
    v = 0.0f;
    if (threadIdx.x == 0) for (int w = 0; w < kWarps; w++) v += s[w];
    return v;
}

__global__ void parts(const float* a, const float* b, float* part, int64_t n) {
    float v = 0.0f;
    const int64_t first = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    for (int64_t i = first; i < n; i += (int64_t)gridDim.x * BLOCK) v += a[i] * b[i];
    v = of_block(v);
    if (threadIdx.x == 0) part[blockIdx.x] = v;
}

__global__ void whole(const float* part, int count, float* out) {
    float v = 0.0f;
    for (int i = threadIdx.x; i < count; i += BLOCK) v += part[i];
    v = of_block(v);
    if (threadIdx.x == 0) *out = v;
}

extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    int64_t blocks = (n + BLOCK * 4 - 1) / (BLOCK * 4);
    if (blocks < 1) blocks = 1;
    if (blocks > 1024) blocks = 1024;
    float* part;
    cudaMallocAsync((void**)&part, blocks * sizeof(float), stream);
    parts<<<(unsigned)blocks, BLOCK, 0, stream>>>(a, b, part, n);
    whole<<<1, BLOCK, 0, stream>>>(part, (int)blocks, out);
    const cudaError_t status = cudaGetLastError();
    cudaFreeAsync(part, stream);
    return status;
}
"""
LANE = "absent-lane"


def told(path: Path, old: str, new: str) -> tuple[set[str], set[str]]:
    """What the file is told with a change: the codes, and the causes that are named."""
    assert RIGHT.count(old) == 1
    path = path / "dot_product.cu"
    path.write_text(RIGHT.replace(old, new), encoding="utf-8")
    result = graded(path, "dot_product", "simulator", frozenset({"blocks"}))
    failures = [f for v in result.verdicts for f in v.failures]
    return {f.code for f in failures}, {f.message.values["cause"].key for f in failures if "cause" in f.message.values}


def test_what_is_not_used_is_right(tmp_path: Path) -> None:
    assert told(tmp_path, "if (threadIdx.x == 0) part", "if (threadIdx.x < 1) part") == (set(), set())


def test_what_is_used_is_told(tmp_path: Path) -> None:
    codes, _ = told(tmp_path, "if (lane + k < lanes) v += beyond;", "v += beyond;")
    assert codes == {LANE}


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        ("for (int i = threadIdx.x; i < count; i += BLOCK) v += part[i];",
         "if (threadIdx.x < count) v = part[threadIdx.x];", "dot-blocks-left"),
        ("for (int i = threadIdx.x; i < count", "for (int i = threadIdx.x + 1; i < count", "dot-block-lost"),
        ("i += (int64_t)gridDim.x * BLOCK", "i += BLOCK", "sum-wrong-step"),
    ],
)  # fmt: skip
def test_a_cause_is_told_and_not_a_lane_that_is_not_used(old: str, new: str, cause: str, tmp_path: Path) -> None:
    assert told(tmp_path, old, new) == ({"values"}, {f"replay.{cause}"})


def test_a_race_is_told_and_not_a_lane_that_is_not_used(tmp_path: Path) -> None:
    codes, _ = told(tmp_path, "s[warp] = v;\n    __syncthreads();", "s[warp] = v;")
    assert codes == {"race-shared"}
