// exercise: softmax_naive
// bug: the maximum begins at -1e9
// group: range
// caught: nan, values
// cause: softmax-max-start
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void softmax(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_stride, int64_t y_stride) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * cols) return;
    int64_t row = i / cols;
    int64_t col = i % cols;
    const float* x_row = x + row * x_stride;
    float largest = -1e9f;
    for (int64_t j = 0; j < cols; ++j) {
        largest = fmaxf(largest, x_row[j]);
    }
    float sum = 0.0f;
    for (int64_t j = 0; j < cols; ++j) {
        sum += expf(x_row[j] - largest);
    }
    y[row * y_stride + col] = expf(x_row[col] - largest) / sum;
}

extern "C" cudaError_t softmax_naive(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride,
                                     int64_t y_row_stride, cudaStream_t stream) {
    int64_t n = rows * cols;
    if (n == 0) return cudaSuccess;
    int threads = 256;
    unsigned blocks = (unsigned)((n + threads - 1) / threads);
    softmax<<<blocks, threads, 0, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
