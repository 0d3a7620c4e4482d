// exercise: gelu
// unusual: elements up to a 16-byte address of x one by one, then vectors by memcpy, then the rest; y is stored element by element
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

__device__ float form(float v, bool by_tanh) {
    if (!by_tanh) return 0.5f * v * erfcf(-0.70710678f * v);
    const float u = 0.79788456f * (v + 0.044715f * v * v * v);
    const float e = expf(-2.0f * fabsf(u)), t = copysignf((1.0f - e) / (1.0f + e), u);
    return 0.5f * v * (1.0f + t);
}

template <typename T>
__global__ void kernel(const T* x, T* y, int64_t n, bool by_tanh) {
    constexpr int kWide = 16 / sizeof(T);
    int64_t head = (16 - (uintptr_t)x % 16) % 16 / sizeof(T);
    if (head > n) head = n;
    const int64_t vectors = (n - head) / kWide, tail = head + vectors * kWide;
    const int64_t t = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, all = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = t; i < vectors; i += all) {
        const uint4 bits = *(const uint4*)(x + head + i * kWide);
        T v[kWide];
        memcpy(v, &bits, 16);
#pragma unroll
        for (int k = 0; k < kWide; ++k) y[head + i * kWide + k] = (T)form((float)v[k], by_tanh);
    }
    if (t < head) y[t] = (T)form((float)x[t], by_tanh);
    if (tail + t < n) y[tail + t] = (T)form((float)x[tail + t], by_tanh);
}

template <typename T>
cudaError_t run(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    if (n < 1) return cudaSuccess;
    const int64_t blocks = (n + 1023) / 1024;
    kernel<<<(unsigned)(blocks < 400 ? blocks : 400), 256, 0, stream>>>(x, y, n, approximate);
    return cudaGetLastError();
}
#define L(name, T)                                                                                            \
    extern "C" cudaError_t name(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) {      \
        return run(x, y, n, approximate, stream);                                                             \
    }
L(gelu, float)
L(gelu_f16, __half)
L(gelu_bf16, __nv_bfloat16)
