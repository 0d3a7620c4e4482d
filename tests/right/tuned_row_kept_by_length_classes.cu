// exercise: softmax_tuned
// unusual: a recursion of templates on the host finds the smallest number of elements per thread that holds the row in registers; beyond the largest, two passes
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

template <typename T> struct Matrices { const T* x; T* y; int64_t rows, cols, xs, ys; cudaStream_t stream; };
template <int kThreads, bool kSum> __device__ __forceinline__ float join(float v) {
    constexpr int kWarps = kThreads / 32;
    const auto f = [](float a, float b) { return kSum ? a + b : fmaxf(a, b); };
    for (int o = 16; o; o >>= 1) v = f(v, __shfl_xor_sync(0xffffffffu, v, o));
    if constexpr (kWarps > 1) {
        __shared__ float slots[kWarps];
        if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = v;
        __syncthreads();
        v = slots[0];
#pragma unroll
        for (int w = 1; w < kWarps; ++w) v = f(v, slots[w]);
    }
    return v;
}
template <typename T, int kThreads, int kEach> __global__ void __launch_bounds__(kThreads) held(const T* x, T* y, int64_t cols, int64_t xs, int64_t ys) {
    float row[kEach], m = -INFINITY, s = 0.0f;
    x += blockIdx.x * xs;
    y += blockIdx.x * ys;
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
        const int c = e * kThreads + threadIdx.x;
        row[e] = c < cols ? (float)x[c] : -INFINITY;
        m = fmaxf(m, row[e]);
    }
    m = join<kThreads, false>(m);
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
        row[e] = e * kThreads + threadIdx.x < cols ? expf(row[e] - m) : 0.0f;
        s += row[e];
    }
    s = join<kThreads, true>(s);
#pragma unroll
    for (int e = 0; e < kEach; ++e) if (e * kThreads + threadIdx.x < cols) y[e * kThreads + threadIdx.x] = T(row[e] / s);
}
template <typename T> __global__ void __launch_bounds__(512) walked(const T* x, T* y, int64_t cols, int64_t xs, int64_t ys) {
    float m = -INFINITY, s = 0.0f;
    x += blockIdx.x * xs;
    y += blockIdx.x * ys;
    for (int64_t c = threadIdx.x; c < cols; c += 512) m = fmaxf(m, (float)x[c]);
    m = join<512, false>(m);
    for (int64_t c = threadIdx.x; c < cols; c += 512) s += expf((float)x[c] - m);
    s = join<512, true>(s);
    for (int64_t c = threadIdx.x; c < cols; c += 512) y[c] = T(expf((float)x[c] - m) / s);
}
template <typename T, int kEach = 1> cudaError_t fitting(const Matrices<T>& a) {
    if constexpr (kEach > 32) {
        walked<T><<<(unsigned)a.rows, 512, 0, a.stream>>>(a.x, a.y, a.cols, a.xs, a.ys);
    } else {
        constexpr int kThreads = kEach <= 4 ? 32 : kEach <= 8 ? 128 : 256;
        if (a.cols > kEach * kThreads) return fitting<T, 2 * kEach>(a);
        held<T, kThreads, kEach><<<(unsigned)a.rows, kThreads, 0, a.stream>>>(a.x, a.y, a.cols, a.xs, a.ys);
    }
    return cudaGetLastError();
}
#define LAUNCHER(NAME, T)                                                                                                                      \
    extern "C" cudaError_t NAME(const T* x, T* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) { \
        return rows > 0 && cols > 0 ? fitting<T>({x, y, rows, cols, x_row_stride, y_row_stride, stream}) : cudaSuccess;                        \
    }
LAUNCHER(softmax_tuned, float)
LAUNCHER(softmax_tuned_f16, __half)
LAUNCHER(softmax_tuned_bf16, __nv_bfloat16)
