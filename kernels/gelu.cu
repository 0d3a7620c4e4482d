// gelu: y[i] = x[i] * Phi(x[i]) at the speed of a copy, Phi exactly or by its tanh, in fp32, fp16 and bf16, at any address.
//
// Check: onekernel check gelu
// Bench: python bench/fusion.py
// Ledger: reads 1, writes 1
//
// Unfused, this is eight operators, and each of them reads and writes every element. Here it is one.
// The idea: ...
// But: ...

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

template <typename T> __global__ void gelu_kernel(const T* x, T* y, int64_t n, int64_t approximate) {
    // TODO: one element first, in float whatever T is: float v = (float)x[i], and y[i] = (T)v. Then 16 bytes at a time.
    (void)x; (void)y; (void)n; (void)approximate;
}

template <typename T> cudaError_t gelu_of(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    // TODO: how many blocks of how many threads? Where does a vector begin if x or y does not start on a multiple of 16 bytes?
    gelu_kernel<T><<<1, 256, 0, stream>>>(x, y, n, approximate);
    return cudaGetLastError();
}

extern "C" cudaError_t gelu(const float* x, float* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    return gelu_of(x, y, n, approximate, stream);
}

extern "C" cudaError_t gelu_f16(const __half* x, __half* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    return gelu_of(x, y, n, approximate, stream);
}

extern "C" cudaError_t gelu_bf16(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    return gelu_of(x, y, n, approximate, stream);
}
