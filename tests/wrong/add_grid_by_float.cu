// exercise: vector_add
// bug: the number of blocks by a division of floats: 6 billion have 24 bits there, and 201 elements no block
// caught: leaves-out
// group: large
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    add<<<(unsigned)ceilf((float)n / 256.0f), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
