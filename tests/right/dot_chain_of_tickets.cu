// exercise: dot_product
// unusual: each block waits for the sum of the blocks before it and passes its own on, in the order of an atomic ticket
#include <cuda_runtime.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 128
#endif
constexpr int kThreads = BLOCK;
constexpr int kMostBlocks = 1024;
__device__ unsigned ticket, turn[kMostBlocks + 1];
__device__ float before[kMostBlocks + 1];

__global__ void dot(const float* a, const float* b, float* result, int64_t n, unsigned round) {
    __shared__ float parts[kThreads];
    __shared__ unsigned mine;
    if (threadIdx.x == 0) mine = atomicInc(&ticket, gridDim.x - 1);
    __syncthreads();
    const unsigned block = mine;
    float sum = 0.0f;
    const int64_t step = (int64_t)gridDim.x * kThreads;
    for (int64_t i = block * (int64_t)kThreads + threadIdx.x; i < n; i += step) sum += a[i] * b[i];
    parts[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int t = 1; t < kThreads; ++t) sum += parts[t];
        if (block > 0) {
            while (atomicAdd(&turn[block], 0u) != round) {
            }
            __threadfence();
            sum += atomicAdd(&before[block], 0.0f);
        }
        if (block == gridDim.x - 1) {
            *result = sum;
        } else {
            atomicExch(&before[block + 1], sum);
            __threadfence();
            atomicExch(&turn[block + 1], round);
        }
    }
}

extern "C" cudaError_t dot_product(const float* a, const float* b, float* result, int64_t n, cudaStream_t stream) {
    static unsigned round = 0;
    int64_t blocks = (n + kThreads - 1) / kThreads;
    if (blocks > kMostBlocks) blocks = kMostBlocks;
    if (blocks == 0) blocks = 1;
    dot<<<(unsigned)blocks, kThreads, 0, stream>>>(a, b, result, n, ++round);
    return cudaGetLastError();
}
