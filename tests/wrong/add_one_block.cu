// exercise: vector_add
// bug: one block: elements from 1024 on have no thread
// caught: unwritten
// group: tails, exact-blocks
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    add<<<1, 1024, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
