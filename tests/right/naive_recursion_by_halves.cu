// exercise: softmax_naive
// unusual: a recursive device function adds up the two halves of a stretch, another one finds the larger of two halves
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__device__ float top_of(const float* from, int64_t n) {
    if (n > 64) return fmaxf(top_of(from, n / 2), top_of(from + n / 2, n - n / 2));
    float m = from[0];
    for (int64_t j = 1; j < n; ++j) m = fmaxf(m, from[j]);
    return m;
}
__device__ float sum_of(const float* from, int64_t n, float m) {
    if (n > 64) return sum_of(from, n / 2, m) + sum_of(from + n / 2, n - n / 2, m);
    float s = 0;
    for (int64_t j = 0; j < n; ++j) s += expf(from[j] - m);
    return s;
}
__global__ void softmax(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * cols) {
        const float* row = x + i / cols * xs;
        const float m = top_of(row, cols);
        y[i / cols * ys + i % cols] = expf(row[i % cols] - m) / sum_of(row, cols, m);
    }
}
extern "C" cudaError_t softmax_naive(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    softmax<<<(unsigned)((rows * cols + 255) / 256), 256, 0, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
