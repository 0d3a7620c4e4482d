// exercise: softmax_block
// bug: an online softmax that meets -inf first rescales by exp(-inf - -inf)
// caught: nan
// group: special
// cause: softmax-masked-beginning
#include <cuda_runtime.h>
#include <stdint.h>

// exp(from - to); 0 from -inf, where there is nothing to rescale.
__device__ float grown(float from, float to) { return from == -INFINITY ? 0.0f : expf(from - to); }

constexpr int kThreads = 128;

__global__ void softmax(const float* x, float* y, int64_t cols, int64_t xs, int64_t ys) {
    x += blockIdx.x * xs;
    y += blockIdx.x * ys;
    const int t = threadIdx.x;
    __shared__ float maxima[kThreads], sums[kThreads];
    float m = -INFINITY, sum = 0;
    for (int64_t c = t; c < cols; c += kThreads) {
        const float v = x[c], larger = fmaxf(m, v);
        sum = sum * expf(m - larger) + expf(v - larger);
        m = larger;
    }
    maxima[t] = m;
    sums[t] = sum;
    __syncthreads();
    for (int s = kThreads / 2; s > 0; s /= 2) {
        if (t < s) {
            const float larger = fmaxf(maxima[t], maxima[t + s]);
            sums[t] = sums[t] * grown(maxima[t], larger) + sums[t + s] * grown(maxima[t + s], larger);
            maxima[t] = larger;
        }
        __syncthreads();
    }
    m = maxima[0];
    sum = sums[0];
    for (int64_t c = t; c < cols; c += kThreads) y[c] = expf(x[c] - m) / sum;
}

extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols,
                                     int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    softmax<<<(unsigned)rows, kThreads, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
