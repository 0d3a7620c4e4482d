// out[r][c] = 3 x[r][c]. The numbers are right from the start; what is wrong is which thread takes which element.
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void triple(const float* x, float* out, int64_t rows, int64_t cols) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * cols) return;
    // <gap>
    //| int64_t row = i % rows, col = i / rows;
    int64_t col = i % cols, row = i / cols;
    // </gap>
    out[row * cols + col] = 3.0f * x[row * cols + col];
}

extern "C" cudaError_t coalesce(const float* x, float* out, int64_t rows, int64_t cols, cudaStream_t stream) {
    const int threads = 128;
    triple<<<(unsigned)((rows * cols + threads - 1) / threads), threads, 0, stream>>>(x, out, rows, cols);
    return cudaGetLastError();
}
