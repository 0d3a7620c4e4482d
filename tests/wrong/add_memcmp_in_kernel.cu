// exercise: vector_add
// bug: memcmp in a kernel
// group: tails
// caught: library-of-host
#include <cuda_runtime.h>
#include <string.h>
#include <stdint.h>
__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && memcmp(a + i, b + i, 4) != 2) out[i] = a[i] + b[i];
}
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
