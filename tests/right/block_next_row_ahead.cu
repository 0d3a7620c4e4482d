// exercise: softmax_block
// unusual: persistent blocks: while a row is worked on, the next one comes into the other half of shared memory by __pipeline_memcpy_async, 4 bytes a copy
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kThreads = 192, kWarps = kThreads / 32;
extern __shared__ float rows_of[];   // two rows

template <bool kMaximum> __device__ float joined(float v) {
    __shared__ float slots[kWarps];
    for (int o = 16; o; o >>= 1) {
        const float w = __shfl_xor_sync(0xffffffff, v, o);
        v = kMaximum ? fmaxf(v, w) : v + w;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = v;
    __syncthreads();
    v = slots[0];
    for (int w = 1; w < kWarps; ++w) v = kMaximum ? fmaxf(v, slots[w]) : v + slots[w];
    return v;
}
__device__ void fetch(const float* row, float* to, int cols) {
    for (int c = threadIdx.x; c < cols; c += kThreads) __pipeline_memcpy_async(to + c, row + c, sizeof(float));
    __pipeline_commit();
}
__global__ void staged(const float* x, float* y, int64_t rows, int cols, int64_t xs, int64_t ys) {
    int half = 0;
    fetch(x + blockIdx.x * xs, rows_of, cols);
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x, half ^= 1) {
        float* const now = rows_of + half * cols;
        if (row + gridDim.x < rows) {
            fetch(x + (row + gridDim.x) * xs, rows_of + (half ^ 1) * cols, cols);
            __pipeline_wait_prior(1);
        } else {
            __pipeline_wait_prior(0);
        }
        // Each thread touches only what it has copied itself: no barrier is needed for the row.
        float m = -INFINITY, s = 0.0f;
        for (int c = threadIdx.x; c < cols; c += kThreads) m = fmaxf(m, now[c]);
        m = joined<true>(m);
        for (int c = threadIdx.x; c < cols; c += kThreads) s += now[c] = expf(now[c] - m);
        s = joined<false>(s);
        for (int c = threadIdx.x; c < cols; c += kThreads) y[row * ys + c] = now[c] / s;
    }
}
__global__ void plain(const float* x, float* y, int64_t cols, int64_t xs, int64_t ys) {
    const float* in = x + blockIdx.x * xs;
    float m = -INFINITY, s = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) m = fmaxf(m, in[c]);
    m = joined<true>(m);
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) s += expf(in[c] - m);
    s = joined<false>(s);
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) y[blockIdx.x * ys + c] = expf(in[c] - m) / s;
}
extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    if (cols <= 5000) staged<<<(unsigned)(rows < 8 ? rows : 8), kThreads, 2 * cols * sizeof(float), stream>>>(x, y, rows, (int)cols, x_row_stride, y_row_stride);
    else plain<<<(unsigned)rows, kThreads, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
