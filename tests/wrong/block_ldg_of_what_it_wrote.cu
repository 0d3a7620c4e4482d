// exercise: softmax_block
// bug: __ldg of what the kernel has written before
// group: shapes
// caught: written-read-only
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kThreads = 128;

__device__ float block_max(float mine) {
    __shared__ float parts[kThreads];
    int t = threadIdx.x;
    parts[t] = mine;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half /= 2) {
        if (t < half) {
            parts[t] = fmaxf(parts[t], parts[t + half]);
        }
        __syncthreads();
    }
    float result = parts[0];
    __syncthreads();
    return result;
}

__device__ float block_sum(float mine) {
    __shared__ float warps[kThreads / 32];
    int lane = threadIdx.x % 32;
    for (int offset = 16; offset > 0; offset /= 2) {
        mine += __shfl_down_sync(0xffffffffu, mine, offset);
    }
    if (lane == 0) {
        warps[threadIdx.x / 32] = mine;
    }
    __syncthreads();
    float result = 0.0f;
    for (int w = 0; w < kThreads / 32; ++w) {
        result += warps[w];
    }
    __syncthreads();
    return result;
}

__global__ void softmax(const float* x, float* y, int64_t cols, int64_t x_stride, int64_t y_stride) {
    const float* x_row = x + blockIdx.x * x_stride;
    float* y_row = y + blockIdx.x * y_stride;
    float largest = -INFINITY;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
        largest = fmaxf(largest, x_row[c]);
    }
    largest = block_max(largest);
    float sum = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
        y_row[c] = expf(x_row[c] - largest);
        sum += y_row[c];
    }
    sum = block_sum(sum);
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
        y_row[c] = __ldg(&y_row[c]) / sum;
    }
}

extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride,
                                     int64_t y_row_stride, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    softmax<<<(unsigned)rows, kThreads, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
