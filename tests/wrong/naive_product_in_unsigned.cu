// exercise: softmax_naive
// bug: rows * cols has 32 bits: two thirds of the outputs are left
// caught: leaves-out, covers-too-little, values
// group: large
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void softmax(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (unsigned)rows * (unsigned)cols) return;
    const int64_t row = i / cols, col = i % cols;
    const int64_t from = row * xs;
    float m = -INFINITY, sum = 0;
    for (int64_t j = 0; j < cols; ++j) m = fmaxf(m, x[from + j]);
    for (int64_t j = 0; j < cols; ++j) sum += expf(x[from + j] - m);
    y[row * ys + col] = expf(x[from + col] - m) / sum;
}

extern "C" cudaError_t softmax_naive(const float* x, float* y, int64_t rows, int64_t cols,
                                     int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    softmax<<<(unsigned)((rows * cols + 127) / 128), 128, 0, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
