// exercise: softmax_block
// bug: the maximum that was multiplied by log2(e) for exp2f is subtracted in expf
// group: shapes
// caught: values, row-sum
// cause: softmax-log2e-of-largest
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kThreads = 256;
constexpr float kLog2e = 1.4426950408889634f;

__device__ float reduce(float v, bool maximum) {
    __shared__ float parts[kThreads];
    __syncthreads();
    parts[threadIdx.x] = v;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            float other = parts[threadIdx.x + half];
            parts[threadIdx.x] = maximum ? fmaxf(parts[threadIdx.x], other) : parts[threadIdx.x] + other;
        }
        __syncthreads();
    }
    return parts[0];
}

__global__ void softmax(const float* x, float* y, int64_t cols, int64_t xs, int64_t ys) {
    const float* in = x + blockIdx.x * xs;
    float* out = y + blockIdx.x * ys;
    float top = -INFINITY, sum = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) top = fmaxf(top, in[c] * kLog2e);
    top = reduce(top, true);
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) sum += exp2f(in[c] * kLog2e - top);
    sum = reduce(sum, false);
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) out[c] = expf(in[c] - top) / sum;
}

extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride,
                                     int64_t y_row_stride, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    softmax<<<(unsigned)rows, kThreads, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
