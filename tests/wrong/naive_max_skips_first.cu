// exercise: softmax_naive
// bug: the search for the maximum begins at the second column
// caught: nan, values
// group: peaked, range, shapes
// cause: sum-skips-first
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void softmax(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * cols) return;
    const int64_t r = i / cols, c = i % cols;
    x += r * xs;
    float m = -INFINITY;
    for (int64_t k = 1; k < cols; k++) m = fmaxf(m, x[k]);
    float sum = 0;
    for (int64_t k = 0; k < cols; k++) sum += expf(x[k] - m);
    y[r * ys + c] = expf(x[c] - m) / sum;
}

extern "C" cudaError_t softmax_naive(const float* x, float* y, int64_t rows, int64_t cols,
                                     int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    softmax<<<(unsigned)((rows * cols + 255) / 256), 256, 0, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
