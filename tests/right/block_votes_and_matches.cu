// exercise: softmax_block
// unusual: __match_all_sync asks whether a warp's lanes have one maximum, __match_any_sync which lane's it is; __any_sync leaves out exponentials that are 0
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr unsigned kAll = ~0u;
constexpr int kThreads = 224;   // seven warps

__device__ float largest(float v) {
    int agree = 0;
    __match_all_sync(kAll, __float_as_uint(v), &agree);
    if (agree) return v;
    for (int o = 1; o < 32; o *= 2) v = fmaxf(v, __shfl_xor_sync(kAll, v, o));
    return v;
}
__global__ void softmax(const float* x, float* y, int64_t cols, int64_t xs, int64_t ys) {
    __shared__ float tops[7], sums[7];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const float* in = x + blockIdx.x * xs;
    float* out = y + blockIdx.x * ys;
    float v = -INFINITY;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) v = fmaxf(v, in[c]);
    v = largest(v);
    if (__ffs(__match_any_sync(kAll, __float_as_uint(v))) - 1 == lane) tops[warp] = v;
    __syncthreads();
    v = largest(lane < 7 ? tops[lane] : -INFINITY);
    float s = 0.0f;
    for (int64_t first = warp * 32; first < cols; first += kThreads) {
        const int64_t c = first + lane;
        const float d = c < cols ? in[c] - v : -INFINITY;
        if (__any_sync(kAll, !(d < -104.0f))) s += expf(d);   // below, expf is 0; a NaN is not below
    }
    for (int o = 16; o; o /= 2) s += __shfl_xor_sync(kAll, s, o);
    if (lane == 0) sums[warp] = s;
    __syncthreads();
    s = 0.0f;
    for (int w = 0; w < 7; ++w) s += sums[w];
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) out[c] = expf(in[c] - v) / s;
}
extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    softmax<<<(unsigned)rows, kThreads, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
