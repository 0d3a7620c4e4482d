// exercise: softmax_block
// unusual: three kernels and scratch memory of its own
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void row_max(const float* x, float* m, int64_t cols, int64_t xs) {
    float v = -INFINITY;
    for (int64_t c = 0; c < cols; c++) v = fmaxf(v, x[blockIdx.x * xs + c]);
    m[blockIdx.x] = v;
}

__global__ void row_sum(const float* x, const float* m, float* s, int64_t cols, int64_t xs) {
    double v = 0;
    for (int64_t c = 0; c < cols; c++) v += expf(x[blockIdx.x * xs + c] - m[blockIdx.x]);
    s[blockIdx.x] = (float)v;
}

__global__ void divide(const float* x, const float* m, const float* s, float* y, int64_t cols, int64_t xs, int64_t ys) {
    for (int64_t c = threadIdx.x; c < cols; c += blockDim.x)
        y[blockIdx.x * ys + c] = __expf(x[blockIdx.x * xs + c] - m[blockIdx.x]) / s[blockIdx.x];
}

extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols,
                                     int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    float* scratch = nullptr;
    cudaError_t error = cudaMallocAsync((void**)&scratch, 2 * rows * sizeof(float), stream);
    if (error != cudaSuccess) return error;
    row_max<<<(unsigned)rows, 1, 0, stream>>>(x, scratch, cols, x_row_stride);
    row_sum<<<(unsigned)rows, 1, 0, stream>>>(x, scratch, scratch + rows, cols, x_row_stride);
    divide<<<(unsigned)rows, 64, 0, stream>>>(x, scratch, scratch + rows, y, cols, x_row_stride, y_row_stride);
    error = cudaGetLastError();
    cudaFreeAsync(scratch, stream);
    return error;
}
