// softmax_block: row softmax, one block for each row, the row kept in shared memory.
//
// Check: onekernel check softmax_block
// Bench: onekernel bench softmax_block
// Work: row per block
//
// The idea: the threads of a block share one row. They read it from memory once, neighbouring threads reading neighbouring elements, so
// that each warp asks for whole 32-byte sectors. Maximum and sum come from the tree of dot_product; everything after the first read
// happens in shared memory. A row that does not fit there is read again for each of the three steps.
//
// Ledger (rows up to 12032 columns): reads 1, writes 1
// Ledger (longer rows): reads 3, writes 1
// But: two trees of nine barriers a row, each of which holds up the whole block; and a load of 4 bytes where a thread can take 16.

#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kThreads = 256;   // a power of two, for the tree
constexpr int64_t kMostBlocks = 2147483647;
constexpr int64_t kSharedBytes = 48 * 1024;                                  // what any GPU gives a block that asks for nothing special
constexpr int64_t kRowFits = kSharedBytes / sizeof(float) - kThreads;        // 12032 columns beside the tree's own array

struct Larger {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Sum {
    __device__ float operator()(float a, float b) const { return a + b; }
};

// The tree of dot_product, for any operation; every thread gets the result.
template <typename Operation>
__device__ float block_reduce(float mine, float* tree, Operation combine) {
    const int t = threadIdx.x;
    tree[t] = mine;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half /= 2) {
        if (t < half) tree[t] = combine(tree[t], tree[t + half]);
        __syncthreads();
    }
    const float result = tree[0];
    __syncthreads();   // nobody may overwrite tree[0] for the next reduction before everybody has read it
    return result;
}

// `row` is the row's copy in shared memory, or the row itself in global memory.
__device__ void softmax_of_row(const float* row, float* y_row, float* tree, int64_t cols) {
    // <gap>
    //| // TODO: maximum, sum and output. Each thread takes columns threadIdx.x, threadIdx.x + kThreads, ... of the row;
    //| // block_reduce(mine, tree, Larger()) and block_reduce(mine, tree, Sum()) join what the threads have found.
    //| (void)row; (void)y_row; (void)tree; (void)cols;
    float largest = -INFINITY;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
        largest = fmaxf(largest, row[c]);
    }
    largest = block_reduce(largest, tree, Larger());

    float sum = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
        sum += expf(row[c] - largest);
    }
    sum = block_reduce(sum, tree, Sum());

    for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
        y_row[c] = expf(row[c] - largest) / sum;
    }
    // </gap>
}

template <bool kInShared>
__global__ void softmax_block_kernel(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride) {
    extern __shared__ float shared[];   // its size is the launch's third argument
    float* tree = shared;
    float* copy = shared + kThreads;
    for (int64_t r = blockIdx.x; r < rows; r += gridDim.x) {
        const float* x_row = x + r * x_row_stride;
        float* y_row = y + r * y_row_stride;
        if (kInShared) {
            // <gap>
            //| // TODO: copy the row into `copy`, then compute on the copy. Which threads may read copy[c], and when?
            //| (void)copy;
            //| softmax_of_row(x_row, y_row, tree, cols);
            // Each thread reads back only the columns that it has written, so no barrier is needed after the copy.
            for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
                copy[c] = x_row[c];
            }
            softmax_of_row(copy, y_row, tree, cols);
            // </gap>
        } else {
            softmax_of_row(x_row, y_row, tree, cols);
        }
    }
}

extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols,
                                     int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    const unsigned blocks = (unsigned)(rows < kMostBlocks ? rows : kMostBlocks);
    if (cols <= kRowFits) {
        const size_t bytes = (kThreads + cols) * sizeof(float);
        softmax_block_kernel<true><<<blocks, kThreads, bytes, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride);
    } else {
        const size_t bytes = kThreads * sizeof(float);
        softmax_block_kernel<false><<<blocks, kThreads, bytes, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride);
    }
    return cudaGetLastError();
}
