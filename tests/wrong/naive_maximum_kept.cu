// exercise: softmax_naive
// bug: a thread that goes on to another row, 256 rows further, keeps the maximum of the row before
// caught: nan, values
// group: range, rows
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void softmax(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys) {
    float m = -INFINITY;
    for (int64_t row = threadIdx.x; row < rows; row += blockDim.x) {
        const float* x_row = x + row * xs;
        bool special = false;
        for (int64_t j = 0; j < cols; ++j) special |= isnan(x_row[j]) || isinf(x_row[j]);
        if (special) m = -INFINITY;
        for (int64_t j = 0; j < cols; ++j) m = fmaxf(m, x_row[j]);
        float sum = 0;
        for (int64_t j = 0; j < cols; ++j) sum += expf(x_row[j] - m);
        for (int64_t j = 0; j < cols; ++j) y[row * ys + j] = expf(x_row[j] - m) / sum;
    }
}

extern "C" cudaError_t softmax_naive(const float* x, float* y, int64_t rows, int64_t cols,
                                     int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    softmax<<<1, 256, 0, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
