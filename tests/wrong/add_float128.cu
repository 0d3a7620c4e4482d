// exercise: vector_add
// bug: a number of 128 bits in a kernel
// group: tails
// caught: wide-on-device
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        __float128 wide = (__float128)a[i] + b[i];
        float sum = (float)wide;
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
