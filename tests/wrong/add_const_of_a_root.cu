// exercise: vector_add
// bug: a const of the host whose value calls sqrtf: the device does not know it
// group: tails, exact-blocks
// caught: variable-of-host
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

const float kNone = sqrtf(4.0f) - 2.0f;

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = a[i] + b[i] + kNone;
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
