// exercise: softmax_block
// unusual: cub's block reduction
#include <cub/cub.cuh>
#include <cuda_runtime.h>
#include <stdint.h>
#include <math.h>

template <int T> __global__ void softmax(const float* x, float* y, int64_t cols, int64_t xs, int64_t ys) {
    using Reduce = cub::BlockReduce<float, T>;
    __shared__ typename Reduce::TempStorage temp;
    __shared__ float both;
    const float* in = x + blockIdx.x * xs;
    float m = -INFINITY, s = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += T) m = fmaxf(m, in[c]);
    m = Reduce(temp).Reduce(m, [](float a, float b) { return fmaxf(a, b); });
    if (threadIdx.x == 0) both = m;
    __syncthreads();
    m = both;
    for (int64_t c = threadIdx.x; c < cols; c += T) s += expf(in[c] - m);
    __syncthreads();
    s = Reduce(temp).Sum(s);
    if (threadIdx.x == 0) both = s;
    __syncthreads();
    for (int64_t c = threadIdx.x; c < cols; c += T) y[blockIdx.x * ys + c] = expf(in[c] - m) / both;
}
extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    softmax<128><<<(unsigned)rows, 128, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
