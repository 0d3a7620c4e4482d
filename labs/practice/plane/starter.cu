// out[row][col] = 1000 row + col: a grid of two dimensions over a matrix that lies in memory row after row.
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void number(int* out, int64_t rows, int64_t cols) {
    int64_t row = 0, col = 0;  // TODO: from threadIdx, blockIdx and blockDim, each with its .x and its .y
    out[0] = 1000 * (int)row + (int)col;  // TODO: the element of that row and column, where there is one
}

extern "C" cudaError_t plane(int* out, int64_t rows, int64_t cols, cudaStream_t stream) {
    dim3 threads(16, 8);
    dim3 blocks((unsigned)((cols + 15) / 16), (unsigned)((rows + 7) / 8));
    number<<<blocks, threads, 0, stream>>>(out, rows, cols);
    return cudaGetLastError();
}
