// cos_cos: y[i] = cos(cos(x[i])), an operator that no library has: what a hand-written chain of two is worth. 16-byte accesses where the
// pointers allow them.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

template <typename T> struct __align__(16) Vector {
    T v[16 / sizeof(T)];
};

template <typename T> __device__ T cos_of_cos(T x) { return (T)__cosf(cosf((float)x)); }   // the inner cosine lies in [-1, 1]

template <typename T> __global__ void __launch_bounds__(256) cos_cos_kernel(const T* x, T* y, int64_t n, bool wide) {
    constexpr int N = 16 / sizeof(T);
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (wide && (i + 1) * N <= n) {
        Vector<T> v = ((const Vector<T>*)x)[i];
#pragma unroll
        for (int j = 0; j < N; ++j) v.v[j] = cos_of_cos(v.v[j]);
        ((Vector<T>*)y)[i] = v;
        return;
    }
    for (int64_t j = i * N; j < n && j < (i + 1) * N; ++j) y[j] = cos_of_cos(x[j]);
}

template <typename T> cudaError_t cos_cos_of(const T* x, T* y, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    const int64_t threads = (n + 16 / sizeof(T) - 1) / (16 / sizeof(T));
    const bool wide = ((uintptr_t)x | (uintptr_t)y) % 16 == 0;
    cos_cos_kernel<<<(unsigned)((threads + 255) / 256), 256, 0, stream>>>(x, y, n, wide);
    return cudaGetLastError();
}

extern "C" cudaError_t cos_cos(const float* x, float* y, int64_t n, cudaStream_t s) { return cos_cos_of(x, y, n, s); }
extern "C" cudaError_t cos_cos_f16(const __half* x, __half* y, int64_t n, cudaStream_t s) { return cos_cos_of(x, y, n, s); }
extern "C" cudaError_t cos_cos_bf16(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t n, cudaStream_t s) { return cos_cos_of(x, y, n, s); }
