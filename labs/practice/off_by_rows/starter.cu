// out[r] = the largest element of row r; each thread has a row. Two things are wrong.
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void row_max(const float* x, float* out, int64_t rows, int64_t cols) {
    int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= cols) return;
    float largest = 0.0f;
    for (int64_t c = 0; c < cols; ++c) largest = fmaxf(largest, x[row * cols + c]);
    out[row] = largest;
}

extern "C" cudaError_t off_by_rows(const float* x, float* out, int64_t rows, int64_t cols, cudaStream_t stream) {
    row_max<<<(unsigned)((rows + 31) / 32), 32, 0, stream>>>(x, out, rows, cols);
    return cudaGetLastError();
}
