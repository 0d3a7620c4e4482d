"""What it costs to know what is ordered: in a block that waits again and again without a barrier of all its threads, an
access costs the same in the hundredth turn as in the first."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from support.simulated import clean

PIPELINE = """#include <cooperative_groups.h>
#include <cuda/pipeline>
constexpr int kThreads = 128, kTile = 512;
__global__ void k(const float* x, float* y, long n) {
    __shared__ float tiles[2][kTile];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    auto fetch = [&](long t) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, tiles[t % 2], x + t * kTile, kTile * sizeof(float), pipe);
        pipe.producer_commit();
    };
    float sum = 0;
    fetch(0);
    for (long t = 0; t < n / kTile; ++t) {
        if (t + 1 < n / kTile) fetch(t + 1);
        pipe.consumer_wait();
        for (int c = threadIdx.x; c < kTile; c += kThreads) sum += tiles[t % 2][kTile - 1 - c];
        pipe.consumer_release();
    }
    y[threadIdx.x] = sum;
}
extern "C" cudaError_t run(const float* x, float* y, long n, cudaStream_t stream) {
    k<<<1, kThreads, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}
"""


def seconds(folder: Path, tiles: int) -> float:
    x = np.ones(512 * tiles, np.float32)
    best = float("inf")
    for _ in range(3):
        began = time.process_time()
        got = clean(folder, PIPELINE, x, np.zeros(128, np.float32))
        best = min(best, time.process_time() - began)
        np.testing.assert_array_equal(got, np.full(128, 4.0 * tiles, np.float32))
    return best


def test_a_pipeline_of_the_block_costs_as_much_as_it_has_turns(tmp_path: Path) -> None:
    seconds(tmp_path, 1)  # built
    short, long = seconds(tmp_path, 16), seconds(tmp_path, 64)
    assert long < 9 * short  # four times as many turns; sixteen times as much, when each walked through all before it
