// exercise: softmax_naive
// bug: a row for each blockIdx.z, of which a grid has 65,535 at the most
// caught: bad-launch
// group: rows
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void softmax(const float* x, float* y, int64_t cols, int64_t xs, int64_t ys) {
    const int64_t row = blockIdx.z, col = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= cols) return;
    float m = -INFINITY, sum = 0;
    for (int64_t j = 0; j < cols; ++j) m = fmaxf(m, x[row * xs + j]);
    for (int64_t j = 0; j < cols; ++j) sum += expf(x[row * xs + j] - m);
    y[row * ys + col] = expf(x[row * xs + col] - m) / sum;
}

extern "C" cudaError_t softmax_naive(const float* x, float* y, int64_t rows, int64_t cols,
                                     int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    const dim3 grid((unsigned)((cols + 255) / 256), 1, (unsigned)rows);
    softmax<<<grid, 256, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
