// Dot product: warps add up by shuffles, the first warp adds up the warps, a second launch adds up the blocks.
#include <cuda_runtime.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 256
#endif

constexpr int kWarps = (BLOCK + 31) / 32;
constexpr int64_t kMost = 512;   // blocks

// The sum over a warp of which `lanes` threads exist, in lane 0.
__device__ float warp_sum(float v, int lanes) {
    const unsigned mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
    const int lane = threadIdx.x & 31;
    for (int offset = 16; offset > 0; offset >>= 1) {
        const float other = __shfl_down_sync(mask, v, offset);
        if (lane + offset < lanes) v += other;
    }
    return v;
}

__device__ float block_total(float v) {
    __shared__ float of_warp[kWarps];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int lanes = BLOCK - warp * 32 < 32 ? BLOCK - warp * 32 : 32;
    v = warp_sum(v, lanes);
    if (lane == 0) of_warp[warp] = v;
    __syncthreads();
    v = threadIdx.x < kWarps ? of_warp[threadIdx.x] : 0.0f;
    if (warp == 0) v = warp_sum(v, lanes);
    return v;
}

__global__ void products(const float* a, const float* b, float* partial, int64_t n) {
    float mine = 0.0f;
    const int64_t step = (int64_t)gridDim.x * BLOCK;
    for (int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x; i < n; i += step) mine = fmaf(a[i], b[i], mine);
    mine = block_total(mine);
    if (threadIdx.x == 0) partial[blockIdx.x] = mine;
}

__global__ void add_up(const float* partial, int count, float* out) {
    float mine = 0.0f;
    for (int i = threadIdx.x; i < count; i += BLOCK) mine += partial[i];
    mine = block_total(mine);
    if (threadIdx.x == 0) *out = mine;
}

extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    int64_t blocks = (n + BLOCK * 16 - 1) / (BLOCK * 16);
    if (blocks < 1) blocks = 1;
    if (blocks > kMost) blocks = kMost;
    float* partial;
    cudaError_t e = cudaMallocAsync((void**)&partial, blocks * sizeof(float), stream);
    if (e != cudaSuccess) return e;
    products<<<(unsigned)blocks, BLOCK, 0, stream>>>(a, b, partial, n);
    add_up<<<1, BLOCK, 0, stream>>>(partial, (int)blocks, out);
    e = cudaGetLastError();
    cudaFreeAsync(partial, stream);
    return e;
}
