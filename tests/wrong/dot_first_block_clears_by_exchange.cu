// exercise: dot_product
// bug: the first block clears the result with an atomicExch, and all of them add to it: whoever added before is lost
// group: shapes
// caught: uninitialised-read
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kThreads = 128;

__global__ void dot(const float* a, const float* b, float* result, int64_t n) {
    __shared__ float parts[kThreads / 32];
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        atomicExch(result, 0.0f);
        __threadfence();
    }
    __syncthreads();
    float sum = 0.0f;
    const int64_t step = (int64_t)gridDim.x * kThreads;
    for (int64_t i = blockIdx.x * (int64_t)kThreads + threadIdx.x; i < n; i += step) sum += a[i] * b[i];
    for (int far = 16; far > 0; far /= 2) sum += __shfl_down_sync(0xffffffffu, sum, far);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < kThreads / 32; ++w) sum += parts[w];
        atomicAdd(result, sum);
    }
}

extern "C" cudaError_t dot_product(const float* a, const float* b, float* result, int64_t n, cudaStream_t stream) {
    int64_t blocks = (n + kThreads - 1) / kThreads;
    if (blocks > 1024) blocks = 1024;
    if (blocks == 0) blocks = 1;
    dot<<<(unsigned)blocks, kThreads, 0, stream>>>(a, b, result, n);
    return cudaGetLastError();
}
