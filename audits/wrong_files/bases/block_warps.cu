// Softmax, a row per block: the row in shared memory, the reductions by warps.
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

#define THREADS 128
#define WARPS (THREADS / 32)
#define FITS 12000   // floats of a row that go into shared memory

__device__ float all_max(float v, float* slots) {
    for (int d = 16; d; d /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, d));
    if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = v;
    __syncthreads();
    v = slots[0];
    for (int w = 1; w < WARPS; w++) v = fmaxf(v, slots[w]);
    return v;
}

__device__ float all_sum(float v, float* slots) {
    for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
    if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0.0f;
    for (int w = 0; w < WARPS; w++) v += slots[w];
    return v;
}

__global__ void row_in_shared(const float* x, float* y, int64_t cols, int64_t xs, int64_t ys) {
    extern __shared__ float row[];
    __shared__ float maxima[WARPS], sums[WARPS];
    const float* in = x + blockIdx.x * xs;
    float m = -INFINITY;
    for (int c = threadIdx.x; c < cols; c += THREADS) {
        row[c] = in[c];
        m = fmaxf(m, row[c]);
    }
    m = all_max(m, maxima);
    float s = 0.0f;
    for (int c = threadIdx.x; c < cols; c += THREADS) {
        row[c] = expf(row[c] - m);
        s += row[c];
    }
    s = all_sum(s, sums);
    float* out = y + blockIdx.x * ys;
    for (int c = threadIdx.x; c < cols; c += THREADS) out[c] = row[c] / s;
}

__global__ void row_too_long(const float* x, float* y, int64_t cols, int64_t xs, int64_t ys) {
    __shared__ float maxima[WARPS], sums[WARPS];
    const float* in = x + blockIdx.x * xs;
    float* out = y + blockIdx.x * ys;
    float m = -INFINITY, s = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += THREADS) m = fmaxf(m, in[c]);
    m = all_max(m, maxima);
    for (int64_t c = threadIdx.x; c < cols; c += THREADS) s += expf(in[c] - m);
    s = all_sum(s, sums);
    for (int64_t c = threadIdx.x; c < cols; c += THREADS) out[c] = expf(in[c] - m) / s;
}

extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols,
                                     int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    if (rows > INT32_MAX) return cudaErrorInvalidConfiguration;
    if (cols <= FITS)
        row_in_shared<<<rows, THREADS, cols * sizeof(float), stream>>>(x, y, cols, x_row_stride, y_row_stride);
    else
        row_too_long<<<rows, THREADS, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
