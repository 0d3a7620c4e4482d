// exercise: softmax_block
// bug: a full-mask shuffle after some lanes have returned
// caught: absent-lane, nan, unwritten, values
// group: shapes
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kThreads = 256;

__global__ void softmax(const float* x, float* y, int64_t cols, int64_t xs, int64_t ys) {
    x += blockIdx.x * xs;
    y += blockIdx.x * ys;
    const int t = threadIdx.x;
    // one thread a column, at most 256: whoever has no column leaves
    float m = -INFINITY, sum = 0;
    for (int64_t c0 = 0; c0 < cols; c0 += 32) {
        if (c0 + t >= cols) return;
        float v = x[c0 + t];
        for (int s = 16; s > 0; s /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, s));
        m = fmaxf(m, v);
    }
    for (int64_t c = 0; c < cols; c++) sum += expf(x[c] - m);
    for (int64_t c = t; c < cols; c += 32) y[c] = expf(x[c] - m) / sum;
}

extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols,
                                     int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    softmax<<<(unsigned)rows, 32, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
