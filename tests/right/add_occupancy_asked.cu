// exercise: vector_add
// unusual: block and grid as cudaOccupancyMaxPotentialBlockSize proposes them, with a grid-stride loop backwards
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = n - 1 - ((int64_t)blockIdx.x * blockDim.x + threadIdx.x); i >= 0; i -= step) out[i] = a[i] + b[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    int blocks = 0, threads = 0;
    const cudaError_t error = cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, add, 0, 0);
    if (error != cudaSuccess) return error;
    add<<<blocks, threads, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
