// exercise: softmax_block
// bug: lanes without a column return, and the maximum takes whatever a shuffle gives for them
// caught: absent-lane, nan, unwritten, values
// group: shapes
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void softmax(const float* x, float* y, int64_t cols, int64_t xs, int64_t ys) {
    __shared__ float row_sum;
    x += blockIdx.x * xs;
    y += blockIdx.x * ys;
    const int t = threadIdx.x;
    if (t >= cols) return;
    float m = -INFINITY;
    for (int64_t c = t; c < cols; c += 32) m = x[c] > m || x[c] != x[c] ? x[c] : m;
    for (int s = 16; s > 0; s /= 2) {
        const float other = __shfl_down_sync(0xffffffffu, m, s);
        m = other > m || other != other ? other : m;
    }
    m = __shfl_sync(0xffffffffu, m, 0);
    if (t == 0) {
        float sum = 0;
        for (int64_t c = 0; c < cols; c++) sum += expf(x[c] - m);
        row_sum = sum;
    }
    __syncwarp();
    for (int64_t c = t; c < cols; c += 32) y[c] = expf(x[c] - m) / row_sum;
}

extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols,
                                     int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    softmax<<<(unsigned)rows, 32, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
