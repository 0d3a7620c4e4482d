// exercise: dot_product
// bug: the loop's index is an int: it becomes negative beyond 2^31 elements
// caught: crash, out-of-bounds-read, values
// group: large
#include <cuda_runtime.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 256
#endif

__global__ void dot(const float* a, const float* b, float* partial, int64_t n) {
    __shared__ float sums[BLOCK];
    const int t = threadIdx.x;
    float mine = 0;
    for (int i = blockIdx.x * BLOCK + t; i < n; i += gridDim.x * BLOCK) mine += a[i] * b[i];
    sums[t] = mine;
    __syncthreads();
    for (int left = BLOCK; left > 1; left = (left + 1) / 2) {
        const int half = (left + 1) / 2;
        if (t + half < left) sums[t] += sums[t + half];
        __syncthreads();
    }
    if (t == 0) partial[blockIdx.x] = sums[0];
}

__global__ void add_up(const float* partial, float* out, int count) {
    float sum = 0;
    for (int i = 0; i < count; ++i) sum += partial[i];
    out[0] = sum;
}

extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    int64_t blocks = (n + 32 * BLOCK - 1) / (32 * BLOCK);
    blocks = blocks < 1 ? 1 : blocks > 1024 ? 1024 : blocks;
    float* partial = nullptr;
    cudaError_t error = cudaMallocAsync((void**)&partial, blocks * sizeof(float), stream);
    if (error != cudaSuccess) return error;
    dot<<<(unsigned)blocks, BLOCK, 0, stream>>>(a, b, partial, n);
    add_up<<<1, 1, 0, stream>>>(partial, out, (int)blocks);
    error = cudaGetLastError();
    cudaFreeAsync(partial, stream);
    return error;
}
