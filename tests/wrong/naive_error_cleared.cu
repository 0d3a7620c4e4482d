// exercise: softmax_naive
// bug: asks for the error once, to print it, and returns what a second question gives: that everything is well
// caught: launch-error-lost
// group: errors
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

__global__ void softmax(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * cols) return;
    const int64_t row = i / cols, col = i % cols;
    float m = -INFINITY, sum = 0;
    for (int64_t j = 0; j < cols; ++j) m = fmaxf(m, x[row * xs + j]);
    for (int64_t j = 0; j < cols; ++j) sum += expf(x[row * xs + j] - m);
    y[row * ys + col] = expf(x[row * xs + col] - m) / sum;
}

extern "C" cudaError_t softmax_naive(const float* x, float* y, int64_t rows, int64_t cols,
                                     int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    softmax<<<(unsigned)((rows * cols + 127) / 128), 128, 0, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride);
    if (cudaGetLastError() != cudaSuccess) fprintf(stderr, "the launch failed\n");
    return cudaGetLastError();
}
