// exercise: softmax_mul
// bug: the product is taken inside the exponential
// cause: mul-in-exponent
// group: shapes
// caught: values
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__device__ float reduced(float v, float* scratch, bool largest) {
    scratch[threadIdx.x] = v;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) {
            const float other = scratch[threadIdx.x + step];
            scratch[threadIdx.x] = largest ? fmaxf(scratch[threadIdx.x], other) : scratch[threadIdx.x] + other;
        }
        __syncthreads();
    }
    v = scratch[0];
    __syncthreads();
    return v;
}

__global__ void kernel(const float* x, const float* w, float* y, int64_t cols, int64_t x_stride, int64_t w_stride, int64_t y_stride) {
    __shared__ float scratch[128];
    const int64_t row = blockIdx.x;
    const float* x_row = x + row * x_stride;
    const float* w_row = w + row * w_stride;
    float* y_row = y + row * y_stride;
    float top = -INFINITY, sum = 0.0f;
    for (int64_t j = threadIdx.x; j < cols; j += blockDim.x) top = fmaxf(top, x_row[j]);
    top = reduced(top, scratch, true);
    for (int64_t j = threadIdx.x; j < cols; j += blockDim.x) sum += expf(x_row[j] - top);
    sum = reduced(sum, scratch, false);
    for (int64_t j = threadIdx.x; j < cols; j += blockDim.x) y_row[j] = expf((x_row[j] - top) * w_row[j]) / sum;
}

extern "C" cudaError_t softmax_mul(const float* x, const float* w, float* y, int64_t rows, int64_t cols, int64_t x_row_stride,
                                   int64_t w_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows > 0 && cols > 0) kernel<<<(unsigned)rows, 128, 0, stream>>>(x, w, y, cols, x_row_stride, w_row_stride, y_row_stride);
    return cudaGetLastError();
}
