// exercise: softmax_naive
// bug: the sum is above a level that lags behind the maximum, and the result above the maximum itself
// group: shapes
// caught: values, row-sum
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

// Online, and the sum is rescaled only when the maximum has moved by more than 8.
__global__ void softmax(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys) {
    int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float* in = x + row * xs;
    float* out = y + row * ys;
    float top = in[0], level = in[0], sum = 0.0f;
    for (int64_t j = 0; j < cols; ++j) {
        top = fmaxf(top, in[j]);
        if (top > level + 8.0f) {
            sum *= expf(level - top);
            level = top;
        }
        sum += expf(in[j] - level);
    }
    for (int64_t j = 0; j < cols; ++j) out[j] = expf(in[j] - top) / sum;
}

extern "C" cudaError_t softmax_naive(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    softmax<<<(unsigned)((rows + 63) / 64), 64, 0, stream>>>(x, y, rows, cols, xs, ys);
    return cudaGetLastError();
}
