// exercise: softmax_naive
// bug: the maxima of the rows lie in a device array of 4096
// caught: out-of-bounds-write, crash
// group: rows, large
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__device__ float maxima[4096], sums[4096];
__global__ void rows_kernel(const float* x, int64_t rows, int64_t cols, int64_t xs) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float m = -INFINITY, sum = 0;
    for (int64_t j = 0; j < cols; ++j) m = fmaxf(m, x[row * xs + j]);
    for (int64_t j = 0; j < cols; ++j) sum += expf(x[row * xs + j] - m);
    maxima[row] = m;
    sums[row] = sum;
}
__global__ void elements(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * cols) return;
    const int64_t row = i / cols, c = i % cols;
    y[row * ys + c] = expf(x[row * xs + c] - maxima[row]) / sums[row];
}

extern "C" cudaError_t softmax_naive(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    rows_kernel<<<(unsigned)((rows + 127) / 128), 128, 0, stream>>>(x, rows, cols, xs);
    elements<<<(unsigned)((rows * cols + 127) / 128), 128, 0, stream>>>(x, y, rows, cols, xs, ys);
    return cudaGetLastError();
}
