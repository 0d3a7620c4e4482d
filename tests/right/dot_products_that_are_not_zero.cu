// exercise: dot_product
// unusual: lanes ask by __ballot_sync whose product is not 0, and __fns finds the n-th of them; a warp whose lanes agree on 0 adds nothing
#include <cuda_runtime.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 256
#endif
constexpr int kWarps = (BLOCK + 31) / 32;

__device__ float sum_of_block(float mine) {
    __shared__ float sums[BLOCK];
    __syncthreads();
    sums[threadIdx.x] = mine;
    __syncthreads();
    float all = 0.0f;
    if (threadIdx.x < kWarps) {
        const int from = threadIdx.x * 32, to = from + 32 < BLOCK ? from + 32 : BLOCK;
        for (int i = from; i < to; ++i) all += sums[i];
    }
    __syncthreads();
    if (threadIdx.x < kWarps) sums[threadIdx.x] = all;
    __syncthreads();
    all = 0.0f;
    for (int i = 0; i < kWarps; ++i) all += sums[i];
    return all;
}
__global__ void dot(const float* a, const float* b, float* parts, int64_t n) {
    __shared__ float few[kWarps][32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int lanes = BLOCK - warp * 32 < 32 ? BLOCK - warp * 32 : 32;
    const unsigned everyone = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
    float mine = 0.0f;
    const int64_t step = (int64_t)gridDim.x * BLOCK;
    for (int64_t at = (int64_t)blockIdx.x * BLOCK + warp * 32; at < n; at += step) {
        const int64_t i = at + lane;
        const float product = i < n ? a[i] * b[i] : 0.0f;
        const unsigned some = __ballot_sync(everyone, product != 0.0f);   // a NaN is not equal to 0
        if (some == 0) continue;
        few[warp][lane] = product;
        __syncwarp(everyone);
        if (lane < __popc(some)) mine += few[warp][__fns(some, 0, lane + 1)];
        __syncwarp(everyone);
    }
    const float all = sum_of_block(mine);
    if (threadIdx.x == 0) parts[blockIdx.x] = all;
}
__global__ void add(const float* parts, float* out, int count) {
    float mine = 0.0f;
    for (int i = threadIdx.x; i < count; i += BLOCK) mine += parts[i];
    const float all = sum_of_block(mine);
    if (threadIdx.x == 0) *out = all;
}
extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    constexpr int blocks = 128;
    float* parts;
    cudaError_t e = cudaMallocAsync((void**)&parts, blocks * sizeof(float), stream);
    if (e) return e;
    dot<<<blocks, BLOCK, 0, stream>>>(a, b, parts, n);
    e = cudaGetLastError();
    if (!e) add<<<1, BLOCK, 0, stream>>>(parts, out, blocks), e = cudaGetLastError();
    const cudaError_t freed = cudaFreeAsync(parts, stream);
    return e ? e : freed;
}
