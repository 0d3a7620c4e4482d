// exercise: dot_product
// bug: a block of 128 threads joins up to 512 partial sums, one each
// group: counted
// caught: values
// cause: dot-blocks-left
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kThreads = 128;
constexpr int kBlocks = 512;

__device__ float parts[kBlocks];

__device__ float block_sum(float v) {
    __shared__ float s[kThreads];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int h = kThreads / 2; h > 0; h /= 2) {
        if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
        __syncthreads();
    }
    return s[0];
}

__global__ void first(const float* a, const float* b, int64_t n) {
    float v = 0.0f;
    for (int64_t i = (int64_t)blockIdx.x * kThreads + threadIdx.x; i < n; i += (int64_t)gridDim.x * kThreads) v += a[i] * b[i];
    v = block_sum(v);
    if (threadIdx.x == 0) parts[blockIdx.x] = v;
}

__global__ void second(float* out, int blocks) {
    float v = threadIdx.x < blocks ? parts[threadIdx.x] : 0.0f;
    v = block_sum(v);
    if (threadIdx.x == 0) *out = v;
}

extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaMemsetAsync(out, 0, sizeof(float), stream);
    int64_t blocks = (n + kThreads - 1) / kThreads;
    if (blocks > kBlocks) blocks = kBlocks;
    first<<<(unsigned)blocks, kThreads, 0, stream>>>(a, b, n);
    cudaError_t status = cudaGetLastError();
    if (status != cudaSuccess) return status;
    second<<<1, kThreads, 0, stream>>>(out, (int)blocks);
    return cudaGetLastError();
}
