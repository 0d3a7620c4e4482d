// exercise: vector_add
// bug: blocks tread on each other: the stride is the block instead of the grid, and one block adds to what another owns
// caught: race-global, values
// group: tails, exact-blocks
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x) out[i] = a[i] + b[i];
    if (blockIdx.x == 1 && threadIdx.x == 0) out[0] += 1.0f;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
