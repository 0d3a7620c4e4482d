// exercise: vector_add
// unusual: the block copies tiles of both into shared memory with memcpy_async, two stages ahead of the addition
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_runtime.h>
#include <stdint.h>

namespace cg = cooperative_groups;
constexpr int kTile = 192;

__global__ void add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out, int64_t n) {
    __shared__ float tile[2][2][kTile];
    const cg::thread_block block = cg::this_thread_block();
    const int64_t tiles = (n + kTile - 1) / kTile;
    auto fetch = [&](int stage, int64_t which) {
        const int64_t at = which * kTile, left = n - at;
        const size_t bytes = sizeof(float) * (left < kTile ? left : kTile);
        cg::memcpy_async(block, tile[stage][0], a + at, bytes);
        cg::memcpy_async(block, tile[stage][1], b + at, bytes);
    };
    int stage = 0;
    if (blockIdx.x < tiles) fetch(0, blockIdx.x);
    for (int64_t which = blockIdx.x; which < tiles; which += gridDim.x, stage ^= 1) {
        const bool more = which + gridDim.x < tiles;
        if (more) fetch(stage ^ 1, which + gridDim.x);
        if (more) cg::wait_prior<2>(block);
        else cg::wait(block);
        for (int i = threadIdx.x; i < kTile && which * kTile + i < n; i += blockDim.x)
            out[which * kTile + i] = tile[stage][0][i] + tile[stage][1][i];
        block.sync();
    }
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    const int64_t tiles = (n + kTile - 1) / kTile;
    add<<<(unsigned)(tiles < 600 ? tiles : 600 + tiles / 1000), 64, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
