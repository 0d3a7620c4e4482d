// exercise: softmax_block
// bug: the bits of a negative maximum are not turned back as they were turned for atomicMax
// group: range
// caught: nan
// cause: softmax-max-not-decoded
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kThreads = 256;

// Floats as unsigned numbers in the same order, for atomicMax.
__device__ unsigned encode(float v) {
    unsigned u = __float_as_uint(v);
    return u & 0x80000000u ? ~u : u | 0x80000000u;
}
__device__ float decode(unsigned u) { return __uint_as_float(u & 0x80000000u ? u & 0x7fffffffu : u); }

__global__ void softmax(const float* x, float* y, int64_t cols, int64_t xs, int64_t ys) {
    __shared__ unsigned largest;
    __shared__ float total;
    const float* in = x + blockIdx.x * xs;
    float* out = y + blockIdx.x * ys;
    if (threadIdx.x == 0) {
        largest = 0;
        total = 0.0f;
    }
    __syncthreads();
    float top = -INFINITY, sum = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) top = fmaxf(top, in[c]);
    atomicMax(&largest, encode(top));
    __syncthreads();
    top = decode(largest);
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) sum += expf(in[c] - top);
    atomicAdd(&total, sum);
    __syncthreads();
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) out[c] = expf(in[c] - top) / total;
}

extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride,
                                     int64_t y_row_stride, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    softmax<<<(unsigned)rows, kThreads, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
