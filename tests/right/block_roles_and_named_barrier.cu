// exercise: softmax_block
// unusual: two roles: half of the block finds the maximum, all of it the sum; named barriers in PTX
#include <cuda_runtime.h>
#include <stdint.h>
#include <math.h>

constexpr int T = 128;
__global__ void softmax(const float* x, float* y, int64_t cols, int64_t xs, int64_t ys) {
    __shared__ float part[T], top;
    const float* in = x + (int64_t)blockIdx.x * xs;
    float* out = y + (int64_t)blockIdx.x * ys;
    const int t = threadIdx.x;
    if (t < T / 2) {
        float m = -INFINITY;
        for (int64_t c = t; c < cols; c += T / 2) m = fmaxf(m, in[c]);
        part[t] = m;
        asm volatile("bar.sync 1, 64;" ::: "memory");
        if (t == 0) { float all = part[0]; for (int k = 1; k < T / 2; ++k) all = fmaxf(all, part[k]); top = all; }
    }
    __syncthreads();
    const float m = top;
    float s = 0.0f;
    for (int64_t c = t; c < cols; c += T) s += expf(in[c] - m);
    part[t] = s;
    __syncthreads();
    for (int w = T / 2; w; w >>= 1) { if (t < w) part[t] += part[t + w]; __syncthreads(); }
    s = part[0];
    for (int64_t c = t; c < cols; c += T) out[c] = expf(in[c] - m) / s;
}
extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    softmax<<<(unsigned)rows, T, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
