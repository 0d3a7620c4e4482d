// exercise: dot_product
// unusual: sums in double, and thread 0 of each block adds up the others' one by one; a second launch does the same
#include <cuda_runtime.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 128
#endif

__global__ void dot(const float* a, const float* b, double* partial, int64_t n) {
    __shared__ double sums[BLOCK];
    double mine = 0;
    for (int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (int64_t)gridDim.x * BLOCK) mine += (double)a[i] * b[i];
    sums[threadIdx.x] = mine;
    __syncthreads();
    if (threadIdx.x) return;
    for (int t = 1; t < BLOCK; ++t) mine += sums[t];
    partial[blockIdx.x] = mine;
}

__global__ void add_up(const double* partial, float* out, int count) {
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += partial[i];
    *out = (float)sum;
}

extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    const int blocks = n < 64 * BLOCK ? 1 : 64;
    double* partial = nullptr;
    cudaError_t error = cudaMallocAsync((void**)&partial, blocks * sizeof(double), stream);
    if (error != cudaSuccess) return error;
    dot<<<blocks, BLOCK, 0, stream>>>(a, b, partial, n);
    add_up<<<1, 1, 0, stream>>>(partial, out, blocks);
    error = cudaGetLastError();
    const cudaError_t freed = cudaFreeAsync(partial, stream);
    return error != cudaSuccess ? error : freed;
}
