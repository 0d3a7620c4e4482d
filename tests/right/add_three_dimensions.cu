// exercise: vector_add
// unusual: three-dimensional grid and block
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t block = blockIdx.x + (int64_t)gridDim.x * (blockIdx.y + (int64_t)gridDim.y * blockIdx.z);
    int64_t thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int64_t i = block * (blockDim.x * blockDim.y * blockDim.z) + thread;
    if (i < n) out[i] = a[i] + b[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    dim3 block(4, 8, 2);
    unsigned blocks = (unsigned)((n + 63) / 64);
    dim3 grid((blocks + 5) / 6, 2, 3);   // the long dimension in x: y and z have 65,535 at the most
    add<<<grid, block, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
