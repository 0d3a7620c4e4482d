// exercise: vector_add
// bug: a kernel launches a kernel
// caught: launch-in-kernel
// group: tails, exact-blocks
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void one(const float* a, const float* b, float* out) { out[0] = a[0] + b[0]; }

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) one<<<1, 1>>>(a + i, b + i, out + i);
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
