// transpose_padded: as transpose, with a tile whose rows are 33 words apart.
//
// Look: onekernel trace bench/kernels/transpose_padded.cu --shape 64,64
//
// The idea: one word of padding a row moves each row on by one bank, so that a column's 32 words lie in 32 different banks.
//
// Ledger: reads 1, writes 1
// But: it costs 128 bytes of shared memory a block.

#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kTile = 32;

__global__ void transpose_padded_kernel(const float* x, float* y, int64_t rows, int64_t cols) {
    __shared__ float tile[kTile][kTile + 1];   // 33 words: columns fall into 32 different banks
    const int64_t x_col = (int64_t)blockIdx.x * kTile + threadIdx.x, x_row = (int64_t)blockIdx.y * kTile + threadIdx.y;
    if (x_row < rows && x_col < cols) tile[threadIdx.y][threadIdx.x] = x[x_row * cols + x_col];
    __syncthreads();
    const int64_t y_col = (int64_t)blockIdx.y * kTile + threadIdx.x, y_row = (int64_t)blockIdx.x * kTile + threadIdx.y;
    if (y_row < cols && y_col < rows) y[y_row * rows + y_col] = tile[threadIdx.x][threadIdx.y];
}

extern "C" cudaError_t transpose_padded(const float* x, float* y, int64_t rows, int64_t cols, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    const dim3 grid((unsigned)((cols + kTile - 1) / kTile), (unsigned)((rows + kTile - 1) / kTile));
    transpose_padded_kernel<<<grid, dim3(kTile, kTile), 0, stream>>>(x, y, rows, cols);
    return cudaGetLastError();
}
