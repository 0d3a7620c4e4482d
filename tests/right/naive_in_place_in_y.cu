// exercise: softmax_naive
// unusual: a thread a row copies it to y first and works there alone
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void softmax(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys) {
    for (int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += (int64_t)gridDim.x * blockDim.x) {
        float* out = y + row * ys;
        float m = -INFINITY, sum = 0;
        for (int64_t c = 0; c < cols; ++c) m = fmaxf(m, out[c] = x[row * xs + c]);
        for (int64_t c = 0; c < cols; ++c) sum += out[c] = expf(out[c] - m);
        const float scale = 1.0f / sum;
        for (int64_t c = cols - 1; c >= 0; --c) out[c] *= scale;
    }
}

extern "C" cudaError_t softmax_naive(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    softmax<<<(unsigned)((rows + 63) / 64 < 500 ? (rows + 63) / 64 : 500), 64, 0, stream>>>(x, y, rows, cols, xs, ys);
    return cudaGetLastError();
}
