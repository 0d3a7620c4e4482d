// exercise: vector_add
// unusual: the number of blocks by ceil of a double, which counts to 2^53
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    add<<<(unsigned)ceil(n / 128.0), 128, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
