// Softmax, a thread per output, the maximum and the sum in one walk: when a larger element comes, the sum so far shrinks.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>

static __global__ void softmax_each(const float* __restrict__ x, float* __restrict__ y, int64_t rows, int64_t cols,
                                    int64_t x_stride, int64_t y_stride) {
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    const int64_t total = rows * cols;
    while (i < total) {
        const int64_t row = i / cols, col = i - row * cols;
        const float* from = x + row * x_stride;
        float top = -INFINITY, sum = 0.0f;
        bool poisoned = false;   // a NaN or +inf: the row is NaN
        for (int64_t j = 0; j < cols; ++j) {
            const float v = from[j];
            if (isnan(v) || v == INFINITY) poisoned = true;
            if (v > top) {
                sum = sum * expf(top - v) + 1.0f;
                top = v;
            } else if (v > -INFINITY) {
                sum += expf(v - top);
            }
        }
        const float mine = from[col];
        float out = expf(mine - top) / sum;
        if (poisoned || top == -INFINITY) out = NAN;
        y[row * y_stride + col] = out;
        i += gridDim.x * (int64_t)blockDim.x;
    }
}

extern "C" cudaError_t softmax_naive(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride,
                                     int64_t y_row_stride, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    const int threads = 128;
    int64_t blocks = (rows * cols + threads - 1) / threads;
    if (blocks > 1 << 20) blocks = 1 << 20;
    softmax_each<<<(unsigned)blocks, threads, 0, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride);
    return cudaPeekAtLastError() == cudaSuccess ? cudaSuccess : cudaGetLastError();
}
