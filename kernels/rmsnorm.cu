// rmsnorm: y = (x + residual) / rms(x + residual) * weight, a row at a time in registers, in fp32, fp16 and bf16, for any rows, strides and
// alignment; rms(h) = sqrt(mean of h^2 + eps) over a row.
//
// Check: onekernel check rmsnorm
// Bench: python bench/fusion.py
// Work: row per block
//
// Three operators in the framework: the sum, its mean square, the scaling. Nobody tells you how: choose scope, loads and layout yourself.
//
// The idea: ...
// Ledger: reads ?, writes ?
// But: ...

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

template <typename T> struct Rows {
    const T* x;
    const T* residual;
    const T* weight;
    T* y;
    int64_t rows, cols, x_row_stride, residual_row_stride, y_row_stride;
    float eps;
    cudaStream_t stream;
};

template <typename T> cudaError_t rmsnorm_of(const Rows<T>& r) {
    if (r.rows <= 0 || r.cols <= 0) return cudaSuccess;
    // TODO: a kernel, and its launch.
    return cudaGetLastError();
}

extern "C" cudaError_t rmsnorm(const float* x, const float* residual, const float* weight, float* y, int64_t rows, int64_t cols,
                               int64_t x_row_stride, int64_t residual_row_stride, int64_t y_row_stride, float eps, cudaStream_t stream) {
    return rmsnorm_of<float>({x, residual, weight, y, rows, cols, x_row_stride, residual_row_stride, y_row_stride, eps, stream});
}

extern "C" cudaError_t rmsnorm_f16(const __half* x, const __half* residual, const __half* weight, __half* y, int64_t rows, int64_t cols,
                                   int64_t x_row_stride, int64_t residual_row_stride, int64_t y_row_stride, float eps, cudaStream_t stream) {
    return rmsnorm_of<__half>({x, residual, weight, y, rows, cols, x_row_stride, residual_row_stride, y_row_stride, eps, stream});
}

extern "C" cudaError_t rmsnorm_bf16(const __nv_bfloat16* x, const __nv_bfloat16* residual, const __nv_bfloat16* weight, __nv_bfloat16* y, int64_t rows, int64_t cols,
                                    int64_t x_row_stride, int64_t residual_row_stride, int64_t y_row_stride, float eps, cudaStream_t stream) {
    return rmsnorm_of<__nv_bfloat16>({x, residual, weight, y, rows, cols, x_row_stride, residual_row_stride, y_row_stride, eps, stream});
}
