// exercise: softmax_naive
// bug: __ldg of what the thread has just written
// group: shapes
// caught: written-read-only
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void softmax_rows(const float* in, float* out, int64_t rows, int64_t cols, int64_t in_stride, int64_t out_stride) {
    int64_t r = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        const float* src = in + r * in_stride;
        float* dst = out + r * out_stride;
        float m = src[0];
        for (int64_t k = 1; k < cols; k++) {
            if (src[k] > m) m = src[k];
        }
        float total = 0.0f;
        for (int64_t k = 0; k < cols; k++) {
            dst[k] = expf(src[k] - m);
            total += __ldg(dst + k);
        }
        for (int64_t k = 0; k < cols; k++) {
            dst[k] /= total;
        }
    }
}

extern "C" cudaError_t softmax_naive(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride,
                                     int64_t y_row_stride, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    const int tpb = 64;
    const int64_t nblocks = (rows + tpb - 1) / tpb;
    softmax_rows<<<nblocks, tpb, 0, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
