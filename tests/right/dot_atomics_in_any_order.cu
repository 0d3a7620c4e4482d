// exercise: dot_product
// unusual: every thread adds its sum to out by itself, in whatever order they come
#include <cuda_runtime.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 256
#endif

__global__ void dot(const float* a, const float* b, float* out, int64_t n) {
    const int64_t first = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    float mine = 0;
    for (int64_t i = first; i < n; i += (int64_t)gridDim.x * BLOCK) mine += a[i] * b[i];
    if (first < n) atomicAdd(out, mine);
}

extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    const int64_t blocks = (n + BLOCK * 8 - 1) / (BLOCK * 8);
    if (blocks) dot<<<(unsigned)(blocks < 64 ? blocks : 64), BLOCK, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
