// exercise: softmax_mul
// unusual: cuda::pipeline of each thread: x comes by cuda::memcpy_async in two stages for the statistics, then x and w together for the product
#include <cuda/pipeline>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kThreads = 128, kEach = 4, kStretch = kThreads * kEach;
template <typename T> struct Stage { T x[kStretch], w[kStretch]; };

template <typename T, bool kBoth> __device__ void ask(cuda::pipeline<cuda::thread_scope_thread>& pipe, Stage<T>& to, const T* x, const T* w, int64_t from, int64_t cols) {
    pipe.producer_acquire();
    for (int i = threadIdx.x; i < kStretch; i += kThreads) {
        if (from + i >= cols) break;
        if constexpr (sizeof(T) >= 4) {
            cuda::memcpy_async(&to.x[i], x + from + i, sizeof(T), pipe);
            if (kBoth) cuda::memcpy_async(&to.w[i], w + from + i, sizeof(T), pipe);
        } else {   // copies have 4 bytes at the least
            to.x[i] = x[from + i];
            if (kBoth) to.w[i] = w[from + i];
        }
    }
    pipe.producer_commit();
}
template <typename T> __global__ void fused(const T* x, const T* w, T* y, int64_t cols, int64_t xs, int64_t ws, int64_t ys) {
    __shared__ Stage<T> stages[2];
    __shared__ float slots[2][kThreads / 32];
    auto pipe = cuda::make_pipeline();
    x += blockIdx.x * xs;
    w += blockIdx.x * ws;
    y += blockIdx.x * ys;
    const int64_t stretches = (cols + kStretch - 1) / kStretch;
    float m = -INFINITY, s = 0.0f;
    ask<T, false>(pipe, stages[0], x, w, 0, cols);
    for (int64_t k = 0; k < stretches; ++k) {
        if (k + 1 < stretches) ask<T, false>(pipe, stages[(k + 1) % 2], x, w, (k + 1) * kStretch, cols);
        if (k + 1 < stretches) cuda::pipeline_consumer_wait_prior<1>(pipe);
        else pipe.consumer_wait();
        for (int i = threadIdx.x; i < kStretch && k * kStretch + i < cols; i += kThreads) {
            const float v = (float)stages[k % 2].x[i], now = fmaxf(m, v), base = now == -INFINITY ? 0.0f : now;
            s = s * expf(m - base) + expf(v - base);
            m = now;
        }
        pipe.consumer_release();
    }
    float top = m;
    for (int o = 16; o; o /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, o));
    if (threadIdx.x % 32 == 0) slots[0][threadIdx.x / 32] = top;
    __syncthreads();
    for (float v : slots[0]) top = fmaxf(top, v);
    s *= expf(m - (top == -INFINITY ? 0.0f : top));
    for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    if (threadIdx.x % 32 == 0) slots[1][threadIdx.x / 32] = s;
    __syncthreads();
    s = 0.0f;
    for (float v : slots[1]) s += v;
    for (int64_t k = 0; k < stretches; ++k) {
        ask<T, true>(pipe, stages[0], x, w, k * kStretch, cols);
        pipe.consumer_wait();
        for (int i = threadIdx.x; i < kStretch && k * kStretch + i < cols; i += kThreads)
            y[k * kStretch + i] = T(expf((float)stages[0].x[i] - top) / s * (float)stages[0].w[i]);
        pipe.consumer_release();
    }
}
template <typename T> cudaError_t launch(const T* x, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    fused<<<(unsigned)rows, kThreads, 0, stream>>>(x, w, y, cols, xs, ws, ys);
    return cudaGetLastError();
}
#define LAUNCHER(name, T) extern "C" cudaError_t name(const T* x, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys, cudaStream_t s) { return launch(x, w, y, rows, cols, xs, ws, ys, s); }
LAUNCHER(softmax_mul, float)
LAUNCHER(softmax_mul_f16, __half)
LAUNCHER(softmax_mul_bf16, __nv_bfloat16)
