#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kBlock = 256;

__global__ void softmax_online(const float* x, float* y, int64_t cols, int64_t x_stride, int64_t y_stride) {
    extern __shared__ float buffer[];
    float* maxima = buffer;
    float* sums = buffer + blockDim.x;
    const int tid = threadIdx.x;
    const int64_t row = blockIdx.x;
    const float* src = x + row * x_stride;
    float* dst = y + row * y_stride;
    float m = -INFINITY;
    float s = 0.0f;
    for (int64_t i = tid; i < cols; i += blockDim.x) {
        const float v = src[i];
        const float bigger = fmaxf(m, v);
        if (bigger > -INFINITY) {
            s = s * expf(m - bigger) + expf(v - bigger);
        }
        if (isnan(v)) s = v;
        m = bigger;
    }
    maxima[tid] = m;
    sums[tid] = s;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step >>= 1) {
        if (tid < step) {
            const float both = fmaxf(maxima[tid], maxima[tid + step]);
            if (both > -INFINITY) {
                sums[tid] = sums[tid] * expf(maxima[tid] - both) + sums[tid + step] * expf(maxima[tid + step] - both);
            } else {
                sums[tid] += sums[tid + step];
            }
            maxima[tid] = both;
        }
        __syncthreads();
    }
    m = maxima[0];
    s = sums[0];
    for (int64_t i = tid; i < cols; i += blockDim.x) {
        dst[i] = expf(src[i] - m) / s;
    }
}

extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride,
                                     int64_t y_row_stride, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    const size_t bytes = 2 * kBlock * sizeof(float);
    softmax_online<<<(unsigned)rows, kBlock, bytes, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
