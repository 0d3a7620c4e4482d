// GeLU: single elements up to the first multiple of 16 bytes of y, then 16 bytes at a time, then the rest.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kBlock = 256;

__device__ float gelu_of(float x, bool approximate) {
    if (!approximate) return 0.5f * x * (1.0f + erff(x * 0.70710678f));
    const float inner = 0.79788456f * (x + 0.044715f * x * x * x);
    return 0.5f * x * (1.0f + tanhf(inner));
}

template <typename T> struct alignas(16) Vec {
    T at[16 / sizeof(T)];
};

template <typename T>
__global__ void gelu_kernel(const T* x, T* y, int64_t n, int64_t head, int64_t vecs, bool aligned, bool approximate) {
    constexpr int N = 16 / sizeof(T);
    const int64_t first = (int64_t)blockIdx.x * kBlock + threadIdx.x, step = (int64_t)gridDim.x * kBlock;
    for (int64_t i = first; i < vecs; i += step) {
        const T* from = x + head + i * N;
        Vec<T> v;
        if (aligned) {
            v = *(const Vec<T>*)from;
        } else {
            for (int j = 0; j < N; ++j) v.at[j] = from[j];
        }
        for (int j = 0; j < N; ++j) v.at[j] = (T)gelu_of((float)v.at[j], approximate);
        *(Vec<T>*)(y + head + i * N) = v;
    }
    for (int64_t i = first; i < n - vecs * N; i += step) {
        const int64_t at = i < head ? i : i + vecs * N;
        y[at] = (T)gelu_of((float)x[at], approximate);
    }
}

template <typename T> cudaError_t launch(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    constexpr int N = 16 / sizeof(T);
    int64_t head = (16 - (uintptr_t)y % 16) % 16 / sizeof(T);
    if (head > n) head = n;
    const int64_t vecs = (n - head) / N;
    const bool aligned = (uintptr_t)(x + head) % 16 == 0;
    int64_t blocks = (vecs + kBlock - 1) / kBlock;
    if (blocks < 1) blocks = 1;
    if (blocks > 65536) blocks = 65536;
    gelu_kernel<T><<<(unsigned)blocks, kBlock, 0, stream>>>(x, y, n, head, vecs, aligned, approximate != 0);
    return cudaGetLastError();
}

extern "C" cudaError_t gelu(const float* x, float* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    return launch(x, y, n, approximate, stream);
}
extern "C" cudaError_t gelu_f16(const __half* x, __half* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    return launch(x, y, n, approximate, stream);
}
extern "C" cudaError_t gelu_bf16(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    return launch(x, y, n, approximate, stream);
}
