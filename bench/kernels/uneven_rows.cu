// uneven_rows: y = x row by row, a block a row, each thread every 256th column. The lanes of a row's last warp take unequal shares.
//
// Look: onekernel trace bench/kernels/uneven_rows.cu --shape 4,1001
//
// The idea: with 1001 columns nine lanes of the last warp have one turn more than the others. As it stands the loop's four turns are
// four requests, the last with nine lanes. Unrolled by four, as nvcc does on its own, the nine lanes would run the unrolled body and
// the others a remainder loop of three turns: seven requests for the same bytes. `#pragma unroll 1` forbids it.
//
// Ledger: reads 1, writes 1
// But: one load in flight a thread; unrolling is what lets a loop have several.

#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kThreads = 256;

__global__ void uneven_rows_kernel(const float* x, float* y, int64_t rows, int64_t cols) {
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
#pragma unroll 1
        for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
            y[row * cols + c] = x[row * cols + c];
        }
    }
}

extern "C" cudaError_t uneven_rows(const float* x, float* y, int64_t rows, int64_t cols, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    uneven_rows_kernel<<<(unsigned)(rows < 65535 ? rows : 65535), kThreads, 0, stream>>>(x, y, rows, cols);
    return cudaGetLastError();
}
