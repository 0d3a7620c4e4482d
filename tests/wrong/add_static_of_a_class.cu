// exercise: vector_add
// bug: the kernel reads a static variable of a class, which the host has
// group: tails
// caught: variable-of-host
#include <cuda_runtime.h>
#include <stdint.h>

struct Config {
    static int threads;
};
int Config::threads = 256;

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * Config::threads + threadIdx.x;
    if (i < n) {
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
