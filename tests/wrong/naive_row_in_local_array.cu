// exercise: softmax_naive
// bug: a row is kept in an array of 256 elements of the thread
// caught: array-bounds, crash, out-of-bounds-read
// group: shapes
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void softmax(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float e[256], m = -INFINITY, sum = 0;
    for (int64_t c = 0; c < cols; ++c) m = fmaxf(m, x[row * xs + c]);
    for (int64_t c = 0; c < cols; ++c) sum += e[c] = expf(x[row * xs + c] - m);
    for (int64_t c = 0; c < cols; ++c) y[row * ys + c] = e[c] / sum;
}

extern "C" cudaError_t softmax_naive(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    softmax<<<(unsigned)((rows + 63) / 64), 64, 0, stream>>>(x, y, rows, cols, xs, ys);
    return cudaGetLastError();
}
