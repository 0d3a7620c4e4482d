// exercise: softmax_block
// bug: the warps' sums, each above its own maximum, are added as they are
// group: shapes
// caught: values, row-sum
// cause: softmax-joined-plainly
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kThreads = 256;

// Online in lanes, merged by shuffles within a warp, then the warps' sums are added.
__global__ void softmax(const float* x, float* y, int64_t cols, int64_t xs, int64_t ys) {
    __shared__ float tops[kThreads / 32], sums[kThreads / 32];
    const float* in = x + blockIdx.x * xs;
    float* out = y + blockIdx.x * ys;
    float top = -INFINITY, sum = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
        float v = in[c], next = fmaxf(top, v);
        sum = (top == -INFINITY ? 0.0f : sum * expf(top - next)) + (next == -INFINITY ? 0.0f : expf(v - next));
        top = next;
    }
    for (int d = 16; d > 0; d /= 2) {
        float other = __shfl_xor_sync(0xffffffffu, top, d), its = __shfl_xor_sync(0xffffffffu, sum, d);
        float next = fmaxf(top, other);
        sum = (top == -INFINITY ? sum : sum * expf(top - next)) + (other == -INFINITY ? its : its * expf(other - next));
        top = next;
    }
    if (threadIdx.x % 32 == 0) {
        tops[threadIdx.x / 32] = top;
        sums[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    sum = 0.0f;
    for (int w = 0; w < kThreads / 32; ++w) {
        top = fmaxf(top, tops[w]);
        sum += sums[w];
    }
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) out[c] = expf(in[c] - top) / sum;
}

extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride,
                                     int64_t y_row_stride, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    softmax<<<(unsigned)rows, kThreads, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
