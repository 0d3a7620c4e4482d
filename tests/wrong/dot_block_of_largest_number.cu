// exercise: dot_product
// bug: the block with the largest number adds up all parts, whoever came last
// group: shapes
// caught: race-global, uninitialised-read, values
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kThreads = 256;
__device__ float partial[4096];
__device__ unsigned done;

__global__ void dot(const float* a, const float* b, float* result, int64_t n) {
    __shared__ float parts[kThreads];
    float sum = 0.0f;
    for (int64_t i = blockIdx.x * (int64_t)kThreads + threadIdx.x; i < n; i += (int64_t)gridDim.x * kThreads) sum += a[i] * b[i];
    parts[threadIdx.x] = sum;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = parts[0];
        __threadfence();
        atomicAdd(&done, 1u);
        if (blockIdx.x == gridDim.x - 1) {
            __threadfence();
            float all = 0.0f;
            for (unsigned i = 0; i < gridDim.x; ++i) all += partial[i];
            *result = all;
        }
    }
}

extern "C" cudaError_t dot_product(const float* a, const float* b, float* result, int64_t n, cudaStream_t stream) {
    int64_t blocks = (n + kThreads - 1) / kThreads;
    if (blocks > 4096) blocks = 4096;
    if (blocks == 0) blocks = 1;
    dot<<<(unsigned)blocks, kThreads, 0, stream>>>(a, b, result, n);
    return cudaGetLastError();
}
