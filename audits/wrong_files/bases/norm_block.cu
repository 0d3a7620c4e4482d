// RMSNorm of x + residual: a block per row, h kept in shared memory where it fits, the squares added by warps.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kThreads = 256;
constexpr int kKept = 8192;   // floats of h in shared memory

__device__ float sum_of_block(float v) {
    __shared__ float per_warp[32];
    __shared__ float total;
    for (int d = 16; d >= 1; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
    if ((threadIdx.x & 31) == 0) per_warp[threadIdx.x >> 5] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = threadIdx.x < kThreads / 32 ? per_warp[threadIdx.x] : 0.0f;
        for (int d = 16; d >= 1; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
        if (threadIdx.x == 0) total = v;
    }
    __syncthreads();
    return total;
}

template <typename T> struct Args {
    const T *x, *residual, *weight;
    T* y;
    int64_t rows, cols, xs, rs, ys;
    float eps;
};

template <typename T, bool kKeep> __global__ void norm(Args<T> a) {
    extern __shared__ float h[];
    const T* x = a.x + (int64_t)blockIdx.x * a.xs;
    const T* residual = a.residual + (int64_t)blockIdx.x * a.rs;
    T* y = a.y + (int64_t)blockIdx.x * a.ys;
    float squares = 0.0f;
    for (int64_t c = threadIdx.x; c < a.cols; c += kThreads) {
        const float v = (float)x[c] + (float)residual[c];
        if (kKeep) h[c] = v;
        squares += v * v;
    }
    const float mean = sum_of_block(squares) / (float)a.cols;
    const float scale = rsqrtf(mean + a.eps);
    for (int64_t c = threadIdx.x; c < a.cols; c += kThreads) {
        const float v = kKeep ? h[c] : (float)x[c] + (float)residual[c];
        y[c] = (T)(v * scale * (float)a.weight[c]);
    }
}

template <typename T> cudaError_t launch(Args<T> a, cudaStream_t stream) {
    if (a.rows <= 0 || a.cols <= 0) return cudaSuccess;
    if (a.cols <= kKept) {
        const size_t bytes = a.cols * sizeof(float);
        norm<T, true><<<(unsigned)a.rows, kThreads, bytes, stream>>>(a);
    } else {
        norm<T, false><<<(unsigned)a.rows, kThreads, 0, stream>>>(a);
    }
    return cudaGetLastError();
}

extern "C" cudaError_t rmsnorm(const float* x, const float* residual, const float* weight, float* y, int64_t rows, int64_t cols,
                               int64_t x_row_stride, int64_t residual_row_stride, int64_t y_row_stride, float eps, cudaStream_t stream) {
    return launch<float>({x, residual, weight, y, rows, cols, x_row_stride, residual_row_stride, y_row_stride, eps}, stream);
}
extern "C" cudaError_t rmsnorm_f16(const __half* x, const __half* residual, const __half* weight, __half* y, int64_t rows, int64_t cols,
                                   int64_t x_row_stride, int64_t residual_row_stride, int64_t y_row_stride, float eps, cudaStream_t stream) {
    return launch<__half>({x, residual, weight, y, rows, cols, x_row_stride, residual_row_stride, y_row_stride, eps}, stream);
}
extern "C" cudaError_t rmsnorm_bf16(const __nv_bfloat16* x, const __nv_bfloat16* residual, const __nv_bfloat16* weight, __nv_bfloat16* y,
                                    int64_t rows, int64_t cols, int64_t x_row_stride, int64_t residual_row_stride, int64_t y_row_stride,
                                    float eps, cudaStream_t stream) {
    return launch<__nv_bfloat16>({x, residual, weight, y, rows, cols, x_row_stride, residual_row_stride, y_row_stride, eps}, stream);
}
