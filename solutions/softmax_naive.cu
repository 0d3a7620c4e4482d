// softmax_naive: y[r][c] = exp(x[r][c] - max of row r) / sum over the row of exp(x[r][j] - max), one thread for each output element.
//
// Check: onekernel check softmax_naive
// Bench: onekernel bench softmax_naive
// Work: output per thread
//
// The idea: the formula, word for word. Each thread owns one output, and finds its row's maximum and its row's sum by itself.
// Subtracting the maximum changes nothing in exact arithmetic, and keeps exp() from overflowing.
// <gap>
// Ledger: reads 2*cols+1, writes 1
// But: the cols threads of a row all compute the same maximum and the same sum. A row of 1024 elements is read 2049 times.
// </gap>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kThreads = 256;
constexpr int64_t kMostBlocks = 2147483647;   // the largest gridDim.x

__global__ void softmax_naive_kernel(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride) {
    const int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = first; i < rows * cols; i += step) {
        const int64_t row = i / cols;
        const int64_t col = i % cols;
        const float* x_row = x + row * x_row_stride;   // rows may lie further apart than cols elements
        // <gap>
        //| // TODO: the largest element of the row, then the sum of exp(x_row[j] - largest) over the row, then this thread's own output.
        //| (void)x_row; (void)col; (void)y; (void)y_row_stride;
        float largest = -INFINITY;
        for (int64_t j = 0; j < cols; ++j) {
            largest = fmaxf(largest, x_row[j]);
        }
        float sum = 0.0f;
        for (int64_t j = 0; j < cols; ++j) {
            sum += expf(x_row[j] - largest);
        }
        y[row * y_row_stride + col] = expf(x_row[col] - largest) / sum;
        // </gap>
    }
}

extern "C" cudaError_t softmax_naive(const float* x, float* y, int64_t rows, int64_t cols,
                                     int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    int64_t blocks = (rows * cols + kThreads - 1) / kThreads;
    if (blocks > kMostBlocks) blocks = kMostBlocks;
    softmax_naive_kernel<<<(unsigned)blocks, kThreads, 0, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
