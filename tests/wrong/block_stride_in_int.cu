// exercise: softmax_block
// bug: the strides are cut to int: rows 2^31 elements apart lie before the tensor
// caught: crash, out-of-bounds-read, values
// group: large
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kThreads = 128;

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

__global__ void softmax(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys) {
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const float* x_row = x + row * (int)xs; float* y_row = y + row * (int)ys;
        float v = -INFINITY;
        for (int64_t c = threadIdx.x; c < cols; c += kThreads) v = fmaxf(v, x_row[c]);
        const float m = joined(v, false);
        v = 0;
        for (int64_t c = threadIdx.x; c < cols; c += kThreads) v += expf(x_row[c] - m);
        const float sum = joined(v, true);
        for (int64_t c = threadIdx.x; c < cols; c += kThreads) y_row[c] = expf(x_row[c] - m) / sum;
    }
}

extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols,
                                     int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    const unsigned grid = (unsigned)(rows < 2147483647 ? rows : 2147483647);
    softmax<<<grid, kThreads, 0, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
