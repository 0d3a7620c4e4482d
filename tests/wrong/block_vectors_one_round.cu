// exercise: softmax_block
// bug: rows of whole vectors take a path where each thread has one vector: columns from 1024 on are never looked at
// caught: unwritten
// group: powers
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kThreads = 256;

__device__ float joined(float mine, bool sum) {
    __shared__ float part[kThreads];
    const int t = threadIdx.x;
    __syncthreads();
    part[t] = mine;
    __syncthreads();
    for (int s = kThreads / 2; s > 0; s /= 2) {
        if (t < s) part[t] = sum ? part[t] + part[t + s] : fmaxf(part[t], part[t + s]);
        __syncthreads();
    }
    return part[0];
}

__global__ void softmax(const float* x, float* y, int64_t cols, int64_t xs, int64_t ys) {
    x += blockIdx.x * xs;
    y += blockIdx.x * ys;
    const int t = threadIdx.x;
    if (cols % 4 == 0 && (uintptr_t)x % 16 == 0 && (uintptr_t)y % 16 == 0) {
        float4 q = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
        if (t < cols / 4) q = ((const float4*)x)[t];
        const float m = joined(fmaxf(fmaxf(q.x, q.y), fmaxf(q.z, q.w)), false);
        q = {expf(q.x - m), expf(q.y - m), expf(q.z - m), expf(q.w - m)};
        const float sum = joined((q.x + q.y) + (q.z + q.w), true);
        if (t < cols / 4) ((float4*)y)[t] = {q.x / sum, q.y / sum, q.z / sum, q.w / sum};
        return;
    }
    float v = -INFINITY;
    for (int64_t c = t; c < cols; c += kThreads) v = fmaxf(v, x[c]);
    const float m = joined(v, false);
    v = 0;
    for (int64_t c = t; c < cols; c += kThreads) v += expf(x[c] - m);
    const float sum = joined(v, true);
    for (int64_t c = t; c < cols; c += kThreads) y[c] = expf(x[c] - m) / sum;
}

extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols,
                                     int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    softmax<<<(unsigned)rows, kThreads, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
