// exercise: vector_add
// bug: a grid of 65,535 blocks at the most, and no loop: enough for 16 million elements
// caught: covers-too-little, values
// group: large
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    const int64_t blocks = (n + 255) / 256;
    if (n > 0) add<<<(unsigned)(blocks < 65535 ? blocks : 65535), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
