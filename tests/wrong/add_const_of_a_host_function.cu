// exercise: vector_add
// bug: a const of the host whose value a function of the host computes
// group: tails, exact-blocks
// caught: variable-of-host
#include <cuda_runtime.h>
#include <stdint.h>

static int half(int x) { return x / 2; }
const int kTwo = half(4);

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = a[i] + b[i] + 0 * kTwo;
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
