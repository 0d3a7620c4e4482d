// exercise: softmax_block
// bug: the row is walked online in tiles of a block: a first tile of -inf alone rescales by exp(-inf - -inf)
// caught: nan
// group: special, long
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kThreads = 256;

__device__ float joined(float mine, bool sum) {
    __shared__ float part[kThreads];
    const int t = threadIdx.x;
    __syncthreads();
    part[t] = mine;
    __syncthreads();
    for (int s = kThreads / 2; s > 0; s /= 2) {
        if (t < s) part[t] = sum ? part[t] + part[t + s] : fmaxf(part[t], part[t + s]);
        __syncthreads();
    }
    return part[0];
}

__global__ void softmax(const float* x, float* y, int64_t cols, int64_t xs, int64_t ys) {
    x += blockIdx.x * xs;
    y += blockIdx.x * ys;
    float m = -INFINITY, sum = 0;
    for (int64_t start = 0; start < cols; start += kThreads) {
        const int64_t c = start + threadIdx.x;
        const float v = c < cols ? x[c] : -INFINITY;
        const float larger = fmaxf(m, joined(v, false));
        sum = sum * expf(m - larger) + joined(expf(v - larger), true);
        m = larger;
    }
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) y[c] = expf(x[c] - m) / sum;
}

extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols,
                                     int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    softmax<<<(unsigned)rows, kThreads, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
