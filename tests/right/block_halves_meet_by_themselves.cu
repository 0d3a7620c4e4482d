// exercise: softmax_block
// unusual: two halves of the block each find a maximum and meet at a named barrier of their own, whose number is computed
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#define WARPS 8
#define FOR_MINE(c) for (int64_t c = 2 * (int64_t)(threadIdx.x % 128) + role; c < cols; c += 256)
__device__ inline void meet(int id, int count) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory"); }
__device__ float of_warp(float v, bool sum) {
#pragma unroll
    for (int d = 16; d; d /= 2) {
        float o = __shfl_xor_sync(0xffffffff, v, d);
        v = sum ? v + o : fmaxf(v, o);
    }
    return v;
}
__global__ void softmax(const float* x, float* y, int64_t cols, int64_t xs, int64_t ys) {
    __shared__ float tops[WARPS], sums[WARPS];
    const int role = threadIdx.x / 128, warp = threadIdx.x / 32;
    x += xs * blockIdx.x;
    y += ys * blockIdx.x;
    float m = -INFINITY, s = 0.0f;
    FOR_MINE(c) m = fmaxf(m, x[c]);
    m = of_warp(m, false);
    if (threadIdx.x % 32 == 0) tops[warp] = m;
    meet(1 + role, 128);
    for (int w = role * 4; w < role * 4 + 4; ++w) m = fmaxf(m, tops[w]);
    if (m > -INFINITY) FOR_MINE(c) s += expf(x[c] - m);
    s = of_warp(s, true);
    if (threadIdx.x % 32 == 0) sums[warp] = s;
    __syncthreads();
    float top = tops[0], total = 0.0f;
    for (int w = 1; w < WARPS; ++w) top = fmaxf(top, tops[w]);
    float half_top[2] = {-INFINITY, -INFINITY};
    for (int w = 0; w < WARPS; ++w) half_top[w / 4] = fmaxf(half_top[w / 4], tops[w]);
    for (int w = 0; w < WARPS; ++w) total += half_top[w / 4] > -INFINITY ? sums[w] * expf(half_top[w / 4] - top) : sums[w];
    FOR_MINE(c) y[c] = expf(x[c] - top) / total;
}
extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys,
                                     cudaStream_t stream) {
    if (rows < 1 || cols < 1) return cudaSuccess;
    softmax<<<(unsigned)rows, 32 * WARPS, 0, stream>>>(x, y, cols, xs, ys);
    return cudaGetLastError();
}
