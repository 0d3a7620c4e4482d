// transpose: y = x transposed, a tile of 32 x 32 turned in shared memory.
//
// Look: onekernel trace bench/kernels/transpose.cu --shape 64,64
//
// The idea: global memory is read and written by rows, coalesced both times; only shared memory is walked by columns.
//
// Ledger: reads 1, writes 1
// But: a column of a [32][32] tile lies in one bank: 32 wavefronts for each of its loads.

#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kTile = 32;

__global__ void transpose_kernel(const float* x, float* y, int64_t rows, int64_t cols) {
    __shared__ float tile[kTile][kTile];
    const int64_t x_col = (int64_t)blockIdx.x * kTile + threadIdx.x, x_row = (int64_t)blockIdx.y * kTile + threadIdx.y;
    if (x_row < rows && x_col < cols) tile[threadIdx.y][threadIdx.x] = x[x_row * cols + x_col];
    __syncthreads();
    const int64_t y_col = (int64_t)blockIdx.y * kTile + threadIdx.x, y_row = (int64_t)blockIdx.x * kTile + threadIdx.y;
    if (y_row < cols && y_col < rows) y[y_row * rows + y_col] = tile[threadIdx.x][threadIdx.y];
}

extern "C" cudaError_t transpose(const float* x, float* y, int64_t rows, int64_t cols, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    const dim3 grid((unsigned)((cols + kTile - 1) / kTile), (unsigned)((rows + kTile - 1) / kTile));
    transpose_kernel<<<grid, dim3(kTile, kTile), 0, stream>>>(x, y, rows, cols);
    return cudaGetLastError();
}
