// exercise: softmax_naive
// unusual: online softmax, a row a thread
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void softmax(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys) {
    int64_t r = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float m = -INFINITY, s = 0;
    for (int64_t k = 0; k < cols; k++) {
        float v = x[r * xs + k], wider = fmaxf(m, v);
        s = s * (m == wider ? 1.0f : expf(m - wider)) + (v == -INFINITY ? 0.0f : expf(v - wider));
        m = wider;
    }
    for (int64_t k = 0; k < cols; k++) y[r * ys + k] = expf(x[r * xs + k] - m) / s;
}

extern "C" cudaError_t softmax_naive(const float* x, float* y, int64_t rows, int64_t cols,
                                     int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    softmax<<<(unsigned)((rows + 31) / 32), 32, 0, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
