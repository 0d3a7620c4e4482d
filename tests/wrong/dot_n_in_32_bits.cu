// exercise: dot_product
// bug: the kernel takes n with 32 bits: of 6 billion elements it sums a third
// caught: covers-too-little, leaves-out, values
// group: large
#include <cuda_runtime.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 256
#endif

__global__ void dot(const float* a, const float* b, float* partial, unsigned n) {
    __shared__ float sums[BLOCK];
    const int t = threadIdx.x;
    float mine = 0;
    for (int64_t i = (int64_t)blockIdx.x * BLOCK + t; i < n; i += (int64_t)gridDim.x * BLOCK) mine += a[i] * b[i];
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
    dot<<<(unsigned)blocks, BLOCK, 0, stream>>>(a, b, partial, (unsigned)n);
    add_up<<<1, 1, 0, stream>>>(partial, out, (int)blocks);
    error = cudaGetLastError();
    cudaFreeAsync(partial, stream);
    return error;
}
