// exercise: dot_product
// bug: atomicInc wraps at gridDim.x and not one before: right in the first call only
// caught: left-over, race-global, unwritten
// group: shapes, counted
#include <cuda_runtime.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 256
#endif
__device__ float partial[8];
__device__ unsigned ticket;
__global__ void dot(const float* a, const float* b, float* out, int64_t n) {
    __shared__ float sums[BLOCK];
    float s = 0;
    for (int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (int64_t)gridDim.x * BLOCK) s += a[i] * b[i];
    sums[threadIdx.x] = s;
    __syncthreads();
    if (threadIdx.x) return;
    for (int k = 1; k < BLOCK; ++k) s += sums[k];
    partial[blockIdx.x] = s;
    __threadfence();
    if (atomicInc(&ticket, gridDim.x) != gridDim.x - 1) return;
    __threadfence();
    s = 0;
    for (int k = 0; k < gridDim.x; ++k) s += ((volatile float*)partial)[k];
    *out = s;
}
extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    dot<<<8, BLOCK, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
