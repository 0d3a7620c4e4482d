// exercise: dot_product
// bug: BLOCK is ignored: the tree is for 256 threads, whatever the file is built with
// caught: other-block
// group: blocks
#include <cuda_runtime.h>
#include <stdint.h>


constexpr int kThreads = 256;

__global__ void dot(const float* a, const float* b, float* out, int64_t n) {
    __shared__ float sums[kThreads];
    const int t = threadIdx.x;
    float mine = 0;
    for (int64_t i = (int64_t)blockIdx.x * kThreads + t; i < n; i += (int64_t)gridDim.x * kThreads) mine += a[i] * b[i];
    sums[t] = mine;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half /= 2) {
        if (t < half) sums[t] += sums[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = sums[0];
}

__global__ void add_up(const float* partial, float* out, int count) {
    float sum = 0;
    for (int i = 0; i < count; ++i) sum += partial[i];
    out[0] = sum;
}

extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    int64_t blocks = (n + 32 * kThreads - 1) / (32 * kThreads);
    blocks = blocks < 1 ? 1 : blocks > 1024 ? 1024 : blocks;
    float* partial = nullptr;
    cudaError_t error = cudaMallocAsync((void**)&partial, blocks * sizeof(float), stream);
    if (error != cudaSuccess) return error;
    dot<<<(unsigned)blocks, kThreads, 0, stream>>>(a, b, partial, n);
    add_up<<<1, 1, 0, stream>>>(partial, out, (int)blocks);
    error = cudaGetLastError();
    cudaFreeAsync(partial, stream);
    return error;
}
