// exercise: softmax_block
// bug: partial sums in half precision
// caught: values, row-sum
// group: shapes
// cause: sum-narrow
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <stdint.h>

constexpr int kThreads = 256;

__global__ void softmax(const float* x, float* y, int64_t cols, int64_t xs, int64_t ys) {
    x += blockIdx.x * xs;
    y += blockIdx.x * ys;
    const int t = threadIdx.x;
    __shared__ float part[kThreads];
    float v = -INFINITY;
    for (int64_t c = t; c < cols; c += kThreads) v = fmaxf(v, x[c]);
    part[t] = v;
    __syncthreads();
    for (int s = kThreads / 2; s > 0; s /= 2) {
        if (t < s) part[t] = fmaxf(part[t], part[t + s]);
        __syncthreads();
    }
    const float m = part[0];
    __syncthreads();
    __shared__ __half half_part[kThreads];
    __half h = __float2half(0.0f);
    for (int64_t c = t; c < cols; c += kThreads) h = __hadd(h, __float2half(expf(x[c] - m)));
    half_part[t] = h;
    __syncthreads();
    for (int s = kThreads / 2; s > 0; s /= 2) {
        if (t < s) half_part[t] = __hadd(half_part[t], half_part[t + s]);
        __syncthreads();
    }
    const float sum = __half2float(half_part[0]);
    for (int64_t c = t; c < cols; c += kThreads) y[c] = expf(x[c] - m) / sum;
}

extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols,
                                     int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    softmax<<<(unsigned)rows, kThreads, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
