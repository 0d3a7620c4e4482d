// exercise: softmax_block
// unusual: blocks of 32 x 8 threads: a warp a row, rows that do not exist masked and no early return
#include <cuda_runtime.h>
#include <stdint.h>
#include <math.h>

__global__ void softmax(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys) {
    __shared__ float s[8][33];
    const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    const bool there = row < rows;
    float m = -INFINITY;
    if (there) for (int64_t c = threadIdx.x; c < cols; c += 32) m = fmaxf(m, x[row * xs + c]);
    s[threadIdx.y][threadIdx.x] = m;
    __syncthreads();
    if (threadIdx.x < 16) s[threadIdx.y][threadIdx.x] = fmaxf(s[threadIdx.y][threadIdx.x], s[threadIdx.y][threadIdx.x + 16]);
    __syncthreads();
    m = s[threadIdx.y][0];
    for (int k = 1; k < 16; ++k) m = fmaxf(m, s[threadIdx.y][k]);
    float sum = 0.0f;
    if (there) for (int64_t c = threadIdx.x; c < cols; c += 32) sum += expf(x[row * xs + c] - m);
    __syncthreads();
    s[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    sum = 0.0f;
    for (int k = 0; k < 32; ++k) sum += s[threadIdx.y][k];
    if (there) for (int64_t c = threadIdx.x; c < cols; c += 32) y[row * ys + c] = expf(x[row * xs + c] - m) / sum;
}
extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    softmax<<<(unsigned)((rows + 7) / 8), dim3(32, 8), 0, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
