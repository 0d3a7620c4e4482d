// exercise: softmax_block
// unusual: a maximum by atomics on the ordered bits of floats, a sum by atomicAdd in shared memory
#include <cuda_runtime.h>
#include <stdint.h>
#include <math.h>

__device__ __forceinline__ unsigned ordered(float f) { unsigned b = __float_as_uint(f); return b & 0x80000000u ? ~b : b | 0x80000000u; }
__device__ __forceinline__ float back(unsigned u) { return __uint_as_float(u & 0x80000000u ? u & 0x7fffffffu : ~u); }
__global__ void softmax(const float* x, float* y, int64_t cols, int64_t xs, int64_t ys) {
    __shared__ unsigned top;
    __shared__ float sum;
    const float* in = x + (int64_t)blockIdx.x * xs;
    float* out = y + (int64_t)blockIdx.x * ys;
    if (threadIdx.x == 0) { top = ordered(-INFINITY); sum = 0.0f; }
    __syncthreads();
    for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) if (!isnan(in[c])) atomicMax(&top, ordered(in[c]));
    __syncthreads();
    const float m = back(top);
    float mine = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) mine += expf(in[c] - m);
    atomicAdd(&sum, mine);
    __syncthreads();
    for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) out[c] = expf(in[c] - m) / sum;
}
extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    softmax<<<(unsigned)rows, 160, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
