// exercise: softmax_block
// bug: the warps' sums reach eight lanes of each warp alone
// group: shapes
// caught: values, nan
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

#define NT 256

__device__ float block_max(float v, float* s) {
    int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    for (int o = 16; o >= 1; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
    if (lane == 0) s[w] = v;
    __syncthreads();
    v = lane < NT / 32 ? s[lane] : -INFINITY;
    for (int o = 16; o >= 1; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
    __syncthreads();
    return v;
}

__device__ float block_sum(float v, float* s) {
    int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    for (int o = 16; o >= 1; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    if (lane == 0) s[w] = v;
    __syncthreads();
    v = lane < NT / 32 ? s[lane] : 0.0f;
    for (int off = 4; off >= 1; off >>= 1) v += __shfl_xor_sync(0xffffffffu, v, off);
    __syncthreads();
    return v;
}

__global__ void softmax_rows(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys) {
    __shared__ float s[NT / 32];
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const float* in = x + row * xs;
        float* out = y + row * ys;
        float m = -INFINITY;
        for (int64_t c = threadIdx.x; c < cols; c += NT) m = fmaxf(m, in[c]);
        m = block_max(m, s);
        float sum = 0.0f;
        for (int64_t c = threadIdx.x; c < cols; c += NT) sum += expf(in[c] - m);
        sum = block_sum(sum, s);
        for (int64_t c = threadIdx.x; c < cols; c += NT) out[c] = expf(in[c] - m) / sum;
    }
}

extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride,
                                     int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    int64_t blocks = rows < 65535 ? rows : 65535;
    softmax_rows<<<(unsigned)blocks, NT, 0, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
