// exercise: vector_add
// bug: errno in a kernel
// group: tails
// caught: library-of-host
#include <cuda_runtime.h>
#include <errno.h>
#include <stdint.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        errno = 0;
        float sum = a[i] + b[i];
        out[i] = sum;
    }
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    int threads = 256;
    int64_t blocks = (n + threads - 1) / threads;
    add<<<(unsigned)blocks, threads, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
