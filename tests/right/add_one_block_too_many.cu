// exercise: vector_add
// unusual: n / threads + 1 blocks, for n = 0 and for multiples of the block too
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    add<<<(unsigned)(n / 192 + 1), 192, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
