// exercise: softmax_tuned
// unusual: an online pair joined by shuffles, warp per row for short rows and a block for long ones, chosen by if constexpr
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

struct MD { float m, d; };
__device__ __forceinline__ MD join(MD a, MD b) {
    const MD hi = a.m >= b.m ? a : b, lo = a.m >= b.m ? b : a;
    if (isnan(a.d) || isnan(b.d)) return {fmaxf(a.m, b.m), NAN};
    return {hi.m, lo.m == -INFINITY ? hi.d + (hi.m == -INFINITY ? lo.d : 0.0f) : hi.d + lo.d * __expf(lo.m - hi.m)};
}
__device__ __forceinline__ MD single(float v) { return {v, isnan(v) || v == INFINITY ? NAN : v == -INFINITY ? 0.0f : 1.0f}; }
template <typename T, bool WARP> __global__ void softmax(const T* x, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys) {
    __shared__ MD parts[8];
    const int64_t row = WARP ? (int64_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32 : blockIdx.x;
    if (WARP && row >= rows) return;
    const int t = WARP ? threadIdx.x % 32 : threadIdx.x, step = WARP ? 32 : blockDim.x;
    MD mine{-INFINITY, 0.0f};
    for (int64_t c = t; c < cols; c += step) mine = join(mine, single((float)x[row * xs + c]));
#pragma unroll
    for (int o = 16; o; o /= 2) mine = join(mine, MD{__shfl_xor_sync(0xffffffffu, mine.m, o), __shfl_xor_sync(0xffffffffu, mine.d, o)});
    if constexpr (!WARP) {
        if (t % 32 == 0) parts[t / 32] = mine;
        __syncthreads();
        mine = parts[0];
        for (unsigned w = 1; w < blockDim.x / 32; ++w) mine = join(mine, parts[w]);
    }
    const float inverse = 1.0f / mine.d;
    for (int64_t c = t; c < cols; c += step) {
        const float v = (float)x[row * xs + c];
        y[row * ys + c] = (T)(expf(v - mine.m) * inverse);
    }
}
template <typename T> static cudaError_t run(const T* x, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    if (cols <= 256) softmax<T, true><<<(unsigned)((rows + 3) / 4), 128, 0, stream>>>(x, y, rows, cols, xs, ys);
    else softmax<T, false><<<(unsigned)rows, 256, 0, stream>>>(x, y, rows, cols, xs, ys);
    return cudaGetLastError();
}

#define LAUNCHER(name, T) \
extern "C" cudaError_t name(const T* x, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t stream) { return run<T>(x, y, rows, cols, xs, ys, stream); }
LAUNCHER(softmax_tuned, float)
LAUNCHER(softmax_tuned_f16, __half)
LAUNCHER(softmax_tuned_bf16, __nv_bfloat16)
