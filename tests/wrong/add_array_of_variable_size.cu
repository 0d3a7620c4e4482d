// exercise: vector_add
// bug: an array of a thread whose size is an argument of the kernel
// group: tails, exact-blocks
// caught: array-of-variable-size
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n, int each) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float both[each];
        both[0] = a[i];
        both[1] = b[i];
        float sum = both[0] + both[1];
        out[i] = sum;
    }
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    int threads = 256;
    int64_t blocks = (n + threads - 1) / threads;
    add<<<(unsigned)blocks, threads, 0, stream>>>(a, b, out, n, 2);
    return cudaGetLastError();
}
