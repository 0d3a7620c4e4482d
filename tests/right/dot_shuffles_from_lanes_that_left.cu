// exercise: dot_product
// unusual: lanes without work return before the shuffles, and what is asked of them is thrown away
#include <cuda_runtime.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 256
#endif

constexpr int kWarps = (BLOCK + 31) / 32;

__global__ void dot(const float* a, const float* b, float* out, int64_t n) {
    __shared__ float slots[kWarps];
    const int t = threadIdx.x, lane = t % 32;
    float mine = 0;
    for (int64_t i = t; i < n; i += BLOCK) mine += a[i] * b[i];
    for (int d = 16; d; d /= 2) {  // the block may not fill its last warp
        const float other = __shfl_down_sync(0xffffffffu, mine, d);
        if (t + d < BLOCK) mine += other;
    }
    if (lane == 0) slots[t / 32] = mine;
    __syncthreads();
    if (t >= kWarps) return;
    float total = slots[t];
    for (int d = 16; d; d /= 2) {
        const float other = __shfl_down_sync(0xffffffffu, total, d);
        if (t + d < kWarps) total += other;
    }
    if (t == 0) *out = total;
}

extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    dot<<<1, BLOCK, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
