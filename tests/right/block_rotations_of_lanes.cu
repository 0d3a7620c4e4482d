// exercise: softmax_block
// unusual: lanes pass their numbers round in circles, __shfl_sync from (lane + d) % 32 and in segments of eight
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr unsigned kAll = 0xffffffffu;
constexpr int kThreads = 256;
template <int kWidth, typename F> __device__ float round_about(float v, F f) {
    const int lane = threadIdx.x % kWidth;
    float all = v;
#pragma unroll
    for (int d = 1; d < kWidth; d *= 2) all = f(all, __shfl_sync(kAll, all, (lane + d) % kWidth, kWidth));
    return all;
}
template <typename F> __device__ float of_block(float v, F f) {
    __shared__ float eight[kThreads / 32];
    v = round_about<8>(v, f);                                   // each segment of eight
    v = f(v, __shfl_xor_sync(kAll, v, 8));
    v = f(v, __shfl_xor_sync(kAll, v, 16));
    __syncthreads();
    if (threadIdx.x % 32 == 5) eight[threadIdx.x / 32] = v;
    __syncthreads();
    return round_about<8>(eight[threadIdx.x % 8], f);
}
__global__ void softmax(const float* x, float* y, int64_t cols, int64_t xs, int64_t ys) {
    const float* in = x + blockIdx.x * xs;
    float m = -INFINITY, s = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) m = fmaxf(m, in[c]);
    m = of_block(m, [](float a, float b) { return fmaxf(a, b); });
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) s += expf(in[c] - m);
    s = of_block(s, [](float a, float b) { return a + b; });
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) y[blockIdx.x * ys + c] = expf(in[c] - m) / s;
}
extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    softmax<<<(unsigned)rows, kThreads, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
