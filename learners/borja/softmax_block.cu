// softmax_block: a block for each row, the row in shared memory. Borja's version, lab 02.
//
// Check: onekernel check softmax_block
//
// What I learnt: shared memory is a cache that I fill by hand, and __syncthreads() is the price. A barrier where I have written
// what others will read, and another one before I overwrite what others may still be reading. I forgot the second kind: the sum
// overwrote tree[0] while a slow warp was still fetching the maximum, and the simulator called it a race and named both lines.
//
// Ledger (rows up to 12000 columns): reads 1, writes 1
// Ledger (longer rows): reads 3, writes 1

#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kThreads = 256;
constexpr int64_t kLongest = 12000;   // 12000 + 256 floats are 49,024 bytes; 48 KB are 49,152

// Tree over the block; every thread gets the result.
__device__ float tree_max(float v, float* tree) {
    tree[threadIdx.x] = v;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) tree[threadIdx.x] = fmaxf(tree[threadIdx.x], tree[threadIdx.x + half]);
        __syncthreads();
    }
    v = tree[0];
    __syncthreads();   // the barrier that I had forgotten
    return v;
}

__device__ float tree_sum(float v, float* tree) {
    tree[threadIdx.x] = v;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) tree[threadIdx.x] += tree[threadIdx.x + half];
        __syncthreads();
    }
    v = tree[0];
    __syncthreads();
    return v;
}

__global__ void row_in_shared(const float* x, float* y, int64_t cols, int64_t x_row_stride, int64_t y_row_stride) {
    extern __shared__ float shared[];
    float* tree = shared;
    float* row = shared + kThreads;
    const float* from = x + blockIdx.x * x_row_stride;
    float* to = y + blockIdx.x * y_row_stride;

    // Each thread always comes back to its own columns, t, t + 256, ..., so the row itself needs no barrier: nobody else reads them.
    float m = -INFINITY;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
        row[c] = from[c];
        m = fmaxf(m, row[c]);
    }
    m = tree_max(m, tree);

    float s = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
        row[c] = expf(row[c] - m);   // keep the exponential: one exp for each element instead of two
        s += row[c];
    }
    s = tree_sum(s, tree);

    for (int64_t c = threadIdx.x; c < cols; c += kThreads) to[c] = row[c] / s;
}

__global__ void row_too_long(const float* x, float* y, int64_t cols, int64_t x_row_stride, int64_t y_row_stride) {
    __shared__ float tree[kThreads];
    const float* from = x + blockIdx.x * x_row_stride;
    float* to = y + blockIdx.x * y_row_stride;

    float m = -INFINITY;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) m = fmaxf(m, from[c]);
    m = tree_max(m, tree);
    float s = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) s += expf(from[c] - m);
    s = tree_sum(s, tree);
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) to[c] = expf(from[c] - m) / s;
}

extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols,
                                     int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    // blockIdx.x * x_row_stride: unsigned times int64_t is int64_t, so this one does not overflow
    if (cols <= kLongest) {
        const size_t bytes = (kThreads + cols) * sizeof(float);
        row_in_shared<<<(unsigned)rows, kThreads, bytes, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    } else {
        row_too_long<<<(unsigned)rows, kThreads, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    }
    return cudaGetLastError();
}
