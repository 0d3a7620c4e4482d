// exercise: dot_product
// unusual: a tree for powers of two, made right for any BLOCK by zeros up to the next one; blocks add to out atomically
#include <cuda_runtime.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 192
#endif

constexpr int next_power(int n) { return n <= 1 ? 1 : 2 * next_power((n + 1) / 2); }
constexpr int kWidth = next_power(BLOCK);

__global__ void dot(const float* a, const float* b, float* out, int64_t n) {
    __shared__ float sums[kWidth];
    const int t = threadIdx.x;
    float mine = 0;
    for (int64_t i = (int64_t)blockIdx.x * BLOCK + t; i < n; i += (int64_t)gridDim.x * BLOCK) mine += a[i] * b[i];
    for (int at = t; at < kWidth; at += BLOCK) sums[at] = at == t ? mine : 0.0f;
    __syncthreads();
    for (int half = kWidth / 2; half > 0; half /= 2) {
        if (t < half) sums[t] += sums[t + half];
        __syncthreads();
    }
    if (t == 0) atomicAdd(out, sums[0]);
}

extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    cudaError_t error = cudaMemsetAsync(out, 0, sizeof(float), stream);
    if (error != cudaSuccess || n == 0) return error;
    const int64_t blocks = (n + BLOCK * 16 - 1) / (BLOCK * 16);
    dot<<<(unsigned)(blocks < 256 ? blocks : 256), BLOCK, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
