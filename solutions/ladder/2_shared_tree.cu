// ladder_shared_tree: row softmax, one block for each row, joined by a tree in shared memory.
//
// Check: python -m pytest tests/grading/test_cuda_solutions.py -k 2_shared_tree
// Bench: onekernel bench ladder/2_shared_tree
//
// The new idea: the threads of a block share a row. Thread t takes columns t, t + 256, t + 512, ...: a warp's 32 loads are neighbours and
// need 4 sectors instead of 32. What the threads found is joined by a tree in shared memory, halving the number of threads at each level.
//
// Work: row per block
// Ledger: reads 3, writes 1
// But: each tree has nine barriers, and at its last five levels one warp works while the others wait. A block has two trees a row.

#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kThreads = 256;   // a power of two, for the tree
constexpr int64_t kMostBlocks = 2147483647;

__device__ float block_max(float mine, float* tree) {
    const int t = threadIdx.x;
    tree[t] = mine;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half /= 2) {
        if (t < half) tree[t] = fmaxf(tree[t], tree[t + half]);
        __syncthreads();
    }
    const float result = tree[0];
    __syncthreads();   // before anyone writes tree[] again
    return result;
}

__device__ float block_sum(float mine, float* tree) {
    const int t = threadIdx.x;
    tree[t] = mine;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half /= 2) {
        if (t < half) tree[t] += tree[t + half];
        __syncthreads();
    }
    const float result = tree[0];
    __syncthreads();
    return result;
}

__global__ void shared_tree_kernel(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride) {
    __shared__ float tree[kThreads];
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const float* x_row = x + row * x_row_stride;
        float* y_row = y + row * y_row_stride;
        float largest = -INFINITY;
        for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
            largest = fmaxf(largest, x_row[c]);
        }
        largest = block_max(largest, tree);
        float sum = 0.0f;
        for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
            sum += expf(x_row[c] - largest);
        }
        sum = block_sum(sum, tree);
        for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
            y_row[c] = expf(x_row[c] - largest) / sum;
        }
    }
}

extern "C" cudaError_t ladder_shared_tree(const float* x, float* y, int64_t rows, int64_t cols,
                                          int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    const unsigned blocks = (unsigned)(rows < kMostBlocks ? rows : kMostBlocks);
    shared_tree_kernel<<<blocks, kThreads, 0, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
