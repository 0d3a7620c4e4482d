// exercise: softmax_naive
// unusual: 1 / sum over j of exp(x[j] - x[c]): no maximum at all; where a difference overflows, the result is 0, as it should be
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void softmax(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * cols) return;
    const float* in = x + i / cols * xs;
    const float mine = in[i % cols];
    float sum = 0;
    bool infinite = isinf(mine) && mine > 0, any = false;
    for (int64_t j = 0; j < cols; ++j) {
        any |= in[j] > -INFINITY || isnan(in[j]);
        infinite |= isinf(in[j]) && in[j] > 0;
        sum += in[j] == -INFINITY && mine == -INFINITY ? 0.0f : expf(in[j] - mine);
    }
    y[i / cols * ys + i % cols] = infinite || !any ? NAN : 1.0f / sum;
}

extern "C" cudaError_t softmax_naive(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    softmax<<<(unsigned)((rows * cols + 127) / 128), 128, 0, stream>>>(x, y, rows, cols, xs, ys);
    return cudaGetLastError();
}
