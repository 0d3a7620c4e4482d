// exercise: dot_product
// unusual: two launches, partial sums of blocks in a __device__ array that each call writes before it reads, float2 sums
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kBlocks = 60;
#ifndef BLOCK
#define BLOCK 192
#endif
__device__ float partial[kBlocks];

__device__ float block_sum(float v) {
    __shared__ float room[32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = (blockDim.x + 31) / 32;
    const int lanes = min(32, (int)blockDim.x - warp * 32);
    const unsigned here = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
    for (int o = 16; o > 0; o >>= 1) {
        const float other = __shfl_sync(here, v, lane + o < lanes ? lane + o : lane);
        if (lane + o < lanes) v += other;
    }
    if (lane == 0) room[warp] = v;
    __syncthreads();
    float all = 0.0f;
    if (threadIdx.x == 0) {
        for (int w = 0; w < warps; ++w) all += room[w];
    }
    return all;
}

__global__ void first(const float* a, const float* b, int64_t n) {
    float v = 0.0f;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (int64_t)kBlocks * blockDim.x) v += a[i] * b[i];
    v = block_sum(v);
    if (threadIdx.x == 0) partial[blockIdx.x] = v;
}

__global__ void second(float* out) {
    float v = 0.0f;
    for (int i = threadIdx.x; i < kBlocks; i += blockDim.x) v += partial[i];
    v = block_sum(v);
    if (threadIdx.x == 0) *out = v;
}

extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    first<<<kBlocks, BLOCK, 0, stream>>>(a, b, n);
    cudaError_t status = cudaGetLastError();
    if (status != cudaSuccess) return status;
    second<<<1, BLOCK, 0, stream>>>(out);
    return cudaGetLastError();
}
