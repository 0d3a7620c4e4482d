// exercise: rmsnorm
// bug: the weight is taken by row, not by column
// group: shapes
// cause: rms-weight-of-row
// caught: values, out-of-bounds-read
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void kernel(const float* x, const float* residual, const float* weight, float* y, int64_t cols, int64_t x_stride,
                       int64_t r_stride, int64_t y_stride, float eps) {
    __shared__ float scratch[128];
    const int64_t row = blockIdx.x;
    const float* x_row = x + row * x_stride;
    const float* r_row = residual + row * r_stride;
    float* y_row = y + row * y_stride;
    float sum = 0.0f;
    for (int64_t j = threadIdx.x; j < cols; j += blockDim.x) {
        const float h = x_row[j] + r_row[j];
        sum += h * h;
    }
    scratch[threadIdx.x] = sum;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) scratch[threadIdx.x] += scratch[threadIdx.x + step];
        __syncthreads();
    }
    const float scale = rsqrtf(scratch[0] / cols + eps);
    for (int64_t j = threadIdx.x; j < cols; j += blockDim.x) y_row[j] = (x_row[j] + r_row[j]) * scale * weight[row];
}

extern "C" cudaError_t rmsnorm(const float* x, const float* residual, const float* weight, float* y, int64_t rows, int64_t cols,
                               int64_t x_row_stride, int64_t residual_row_stride, int64_t y_row_stride, float eps, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    kernel<<<(unsigned)rows, 128, 0, stream>>>(x, residual, weight, y, cols, x_row_stride, residual_row_stride, y_row_stride, eps);
    return cudaGetLastError();
}
