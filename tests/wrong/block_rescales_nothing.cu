// exercise: softmax_block
// bug: online softmax that does not rescale the running sum when the maximum moves
// caught: values, nan
// group: peaked
// cause: softmax-not-rescaled
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kThreads = 256;

__global__ void softmax(const float* x, float* y, int64_t cols, int64_t xs, int64_t ys) {
    x += blockIdx.x * xs;
    y += blockIdx.x * ys;
    const int t = threadIdx.x;
    __shared__ float max_of[kThreads], sum_of[kThreads];
    float m = -INFINITY, sum = 0;
    for (int64_t c = t; c < cols; c += kThreads) {
        m = fmaxf(m, x[c]);
        sum += expf(x[c] - m);  // the earlier terms keep the old maximum
    }
    max_of[t] = m;
    sum_of[t] = sum;
    __syncthreads();
    float all = -INFINITY, total = 0;
    for (int k = 0; k < kThreads; k++) all = fmaxf(all, max_of[k]);
    for (int k = 0; k < kThreads; k++) total += max_of[k] == -INFINITY ? 0 : sum_of[k] * expf(max_of[k] - all);
    for (int64_t c = t; c < cols; c += kThreads) y[c] = expf(x[c] - all) / total;
}

extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols,
                                     int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    softmax<<<(unsigned)rows, kThreads, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
