// exercise: softmax_block
// bug: the sum is accumulated in bfloat16
// caught: values, row-sum
// group: shapes
// cause: sum-narrow
#include <cuda_bf16.h>
#include <cuda_runtime.h>
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
    __nv_bfloat16 low = __float2bfloat16(0.0f);
    for (int64_t c = t; c < cols; c += kThreads) low = __hadd(low, __float2bfloat16(expf(x[c] - m)));
    part[t] = __bfloat162float(low);
    __syncthreads();
    for (int s = kThreads / 2; s > 0; s /= 2) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    const float sum = part[0];
    for (int64_t c = t; c < cols; c += kThreads) y[c] = expf(x[c] - m) / sum;
}

extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols,
                                     int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    softmax<<<(unsigned)rows, kThreads, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
