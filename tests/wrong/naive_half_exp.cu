// exercise: softmax_naive
// bug: the result is rounded to half precision
// caught: values, row-sum
// group: shapes, range
// cause: sum-narrow-result
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <stdint.h>

__global__ void softmax(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * cols) return;
    int64_t r = i / cols, c = i % cols;
    float m = -INFINITY;
    for (int64_t k = 0; k < cols; k++) m = fmaxf(m, x[r * xs + k]);
    float s = 0;
    for (int64_t k = 0; k < cols; k++) s += expf(x[r * xs + k] - m);
    y[r * ys + c] = __half2float(__float2half(expf(x[r * xs + c] - m) / s));
}

extern "C" cudaError_t softmax_naive(const float* x, float* y, int64_t rows, int64_t cols,
                                     int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    int64_t n = rows * cols;
    if (n == 0) return cudaSuccess;
    softmax<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
