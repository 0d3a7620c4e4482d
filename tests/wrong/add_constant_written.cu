// exercise: vector_add
// bug: a kernel writes a __constant__ variable
// caught: constant-written
// group: tails, exact-blocks
#include <cuda_runtime.h>
#include <stdint.h>

__constant__ float bias;

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    bias = 0;
    if (i < n) out[i] = a[i] + b[i] + bias;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
