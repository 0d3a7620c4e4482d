// exercise: softmax_naive
// bug: no exponential is less than 1e-6, 'lest something is divided by 0'
// caught: values
// group: peaked, range
// cause: softmax-floored
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void softmax(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * cols) return;
    const int64_t row = i / cols, c = i % cols;
    float m = -INFINITY, sum = 0;
    for (int64_t j = 0; j < cols; ++j) m = fmaxf(m, x[row * xs + j]);
    for (int64_t j = 0; j < cols; ++j) sum += fmaxf(expf(x[row * xs + j] - m), 1e-6f);
    y[row * ys + c] = fmaxf(expf(x[row * xs + c] - m), 1e-6f) / sum;
}

extern "C" cudaError_t softmax_naive(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    softmax<<<(unsigned)((rows * cols + 127) / 128), 128, 0, stream>>>(x, y, rows, cols, xs, ys);
    return cudaGetLastError();
}
