// ladder_warp_shuffle: row softmax, one block for each row, joined by warp shuffles.
//
// Check: python -m pytest tests/grading/test_cuda_solutions.py -k 3_warp_shuffle
// Bench: onekernel bench ladder/3_warp_shuffle
//
// The new idea: the 32 lanes of a warp can read each other's registers. Five shuffles join a warp, without shared memory and without a
// barrier. Only the 8 warps' results meet in shared memory, and every warp joins those 8 by shuffles again: one barrier to write them,
// one before they are overwritten, where the tree had nine.
//
// Work: row per block
// Ledger: reads 3, writes 1
// But: the row is read three times, for maximum, sum and output. The maximum has to be known before the first exponential. Or has it?

#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int64_t kMostBlocks = 2147483647;

// After step 16 a lane holds the result of 2 lanes, after step 8 of 4, ... after step 1 of all 32. Every lane gets the same value.
__device__ float warp_max(float v) {
    for (int step = 16; step > 0; step /= 2) {
        v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, step));
    }
    return v;
}

__device__ float warp_sum(float v) {
    for (int step = 16; step > 0; step /= 2) {
        v += __shfl_xor_sync(0xffffffff, v, step);
    }
    return v;
}

__global__ void warp_shuffle_kernel(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride) {
    __shared__ float maxima[kWarps];   // an array for each reduction, so that no barrier is needed between the two
    __shared__ float sums[kWarps];
    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const float* x_row = x + row * x_row_stride;
        float* y_row = y + row * y_row_stride;
        float largest = -INFINITY;
        for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
            largest = fmaxf(largest, x_row[c]);
        }
        largest = warp_max(largest);
        if (lane == 0) maxima[warp] = largest;
        __syncthreads();
        largest = warp_max(maxima[lane % kWarps]);

        float sum = 0.0f;
        for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
            sum += expf(x_row[c] - largest);
        }
        sum = warp_sum(sum);
        if (lane == 0) sums[warp] = sum;
        __syncthreads();
        sum = warp_sum(lane < kWarps ? sums[lane] : 0.0f);

        for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
            y_row[c] = expf(x_row[c] - largest) / sum;
        }
        // The next row writes maxima[] after everybody has passed the second barrier, that is after everybody has read it. And it
        // writes sums[] only after its own first barrier. So the loop needs no third one.
    }
}

extern "C" cudaError_t ladder_warp_shuffle(const float* x, float* y, int64_t rows, int64_t cols,
                                           int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    const unsigned blocks = (unsigned)(rows < kMostBlocks ? rows : kMostBlocks);
    warp_shuffle_kernel<<<blocks, kThreads, 0, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
