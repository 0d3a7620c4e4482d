// exercise: softmax_naive
// bug: memory of the stream's pool is never given back
// caught: leak
// group: errors, shapes
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void row_sums(const float* x, float* scratch, int64_t rows, int64_t cols, int64_t xs) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float m = -INFINITY, sum = 0.0f;
    for (int64_t c = 0; c < cols; ++c) m = fmaxf(m, x[row * xs + c]);
    for (int64_t c = 0; c < cols; ++c) sum += expf(x[row * xs + c] - m);
    scratch[2 * row] = m;
    scratch[2 * row + 1] = sum;
}

__global__ void normalise(const float* x, const float* scratch, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * cols) return;
    const int64_t row = i / cols, c = i % cols;
    y[row * ys + c] = expf(x[row * xs + c] - scratch[2 * row]) / scratch[2 * row + 1];
}

extern "C" cudaError_t softmax_naive(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    float* scratch = nullptr;
    cudaError_t error = cudaMallocAsync((void**)&scratch, 2 * rows * sizeof(float), stream);
    if (error != cudaSuccess) return error;
    row_sums<<<(unsigned)((rows + 127) / 128), 128, 0, stream>>>(x, scratch, rows, cols, xs);
    cudaError_t launched = cudaGetLastError();
    if (launched == cudaSuccess) {
        normalise<<<(unsigned)((rows * cols + 127) / 128), 128, 0, stream>>>(x, scratch, y, rows, cols, xs, ys);
        launched = cudaGetLastError();
    }
    return launched;
}
