// exercise: softmax_block
// unusual: the sum is the last element of an inclusive scan by __shfl_up_sync, the maximum comes down by __shfl_down_sync, and __shfl_sync tells all lanes
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#define ALL 0xffffffffu

__device__ __forceinline__ float scanned(float v) {
    const int lane = threadIdx.x & 31;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        const float below = __shfl_up_sync(ALL, v, d);
        if (lane >= d) v += below;
    }
    return __shfl_sync(ALL, v, 31);
}
__device__ __forceinline__ float largest(float v) {
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) v = fmaxf(v, __shfl_down_sync(ALL, v, d));
    return __shfl_sync(ALL, v, 0);
}
__global__ void __launch_bounds__(1024) softmax(const float* x, float* y, int64_t cols, int64_t xs, int64_t ys) {
    __shared__ float slots[2][32];
    const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const float* in = x + (int64_t)blockIdx.x * xs;
    float* out = y + (int64_t)blockIdx.x * ys;
    float m = -INFINITY, s = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) m = fmaxf(m, in[c]);
    m = largest(m);
    if (lane == 31) slots[0][warp] = m;
    __syncthreads();
    m = largest(lane < blockDim.x / 32 ? slots[0][lane] : -INFINITY);
    for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) s += expf(in[c] - m);
    s = scanned(s);
    if (lane == 0) slots[1][warp] = s;
    __syncthreads();
    s = scanned(lane < blockDim.x / 32 ? slots[1][lane] : 0.0f);
    for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) out[c] = expf(in[c] - m) / s;
}
extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    const int64_t wanted = (cols + 31) / 32 * 32;
    softmax<<<(unsigned)rows, (unsigned)(wanted > 1024 ? 1024 : wanted), 0, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
