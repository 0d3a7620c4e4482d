// exercise: softmax_block
// bug: what equals the maximum counts as 1: +inf minus +inf is not NaN
// group: special
// caught: nan
// cause: softmax-equal-as-one
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kThreads = 256;   // a power of two, for the tree
constexpr int64_t kMostBlocks = 2147483647;
constexpr int64_t kSharedBytes = 48 * 1024;                                  // what any GPU gives a block that asks for nothing special
constexpr int64_t kRowFits = kSharedBytes / sizeof(float) - 2 * kThreads;        // 11776 columns beside the tree

// The maximum so far, and the sum of exp(x - maximum) so far.
struct Run { float top, sum; };

__device__ Run join(Run a, Run b) {
    float top = fmaxf(a.top, b.top);
    const float fa = a.top == top ? 1.0f : expf(a.top - top), fb = b.top == top ? 1.0f : expf(b.top - top);
    return {top, a.sum * fa + b.sum * fb};
}

template <bool kInShared>
__global__ void softmax_block_kernel(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride) {
    extern __shared__ float shared[];
    __shared__ Run tree[kThreads];
    float* copy = shared;
    const int t = threadIdx.x;
    for (int64_t r = blockIdx.x; r < rows; r += gridDim.x) {
        const float* x_row = x + r * x_row_stride;
        Run mine = {-INFINITY, 0.0f};
        for (int64_t c = t; c < cols; c += kThreads) {
            const float v = x_row[c];
            if (kInShared) copy[c] = v;
            mine = join(mine, {v, 1.0f});
        }
        tree[t] = mine;
        __syncthreads();
        for (int half = kThreads / 2; half > 0; half /= 2) {
            if (t < half) tree[t] = join(tree[t], tree[t + half]);
            __syncthreads();
        }
        const Run all = tree[0];
        for (int64_t c = t; c < cols; c += kThreads) y[r * y_row_stride + c] = expf((kInShared ? copy[c] : x_row[c]) - all.top) / all.sum;
        __syncthreads();
    }
}

extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols,
                                     int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    const unsigned blocks = (unsigned)(rows < kMostBlocks ? rows : kMostBlocks);
    if (cols <= kRowFits) {
        const size_t bytes = cols * sizeof(float);
        softmax_block_kernel<true><<<blocks, kThreads, bytes, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride);
    } else {
        const size_t bytes = 0;
        softmax_block_kernel<false><<<blocks, kThreads, bytes, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride);
    }
    return cudaGetLastError();
}
