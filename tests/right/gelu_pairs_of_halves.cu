// exercise: gelu
// unusual: two elements of a thread, neighbours, as a struct that is aligned to its element alone; expm1f for the tanh
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

template <typename T> struct Pair { T first, second; };

__device__ float tanh_by_expm1(float u) {
    const float e = expm1f(2.0f * fminf(fmaxf(u, -20.0f), 20.0f));
    return e / (e + 2.0f);
}
__device__ float gelu_of(float v, bool by_tanh) {
    if (isnan(v)) return v;
    const float p = by_tanh ? 0.5f + 0.5f * tanh_by_expm1(0.7978845608f * v * (1.0f + 0.044715f * v * v)) : normcdff(v);
    return p == 0.0f && v > -100.0f ? -0.0f : v * p;
}

template <typename T>
__global__ void kernel(const T* x, T* y, int64_t n, bool by_tanh) {
    const int64_t i = 2 * ((int64_t)blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 < n) {
        const Pair<T> p = *(const Pair<T>*)(x + i);
        *(Pair<T>*)(y + i) = {(T)gelu_of(p.first, by_tanh), (T)gelu_of(p.second, by_tanh)};
    } else if (i < n) {
        y[i] = (T)gelu_of(x[i], by_tanh);
    }
}

template <typename T>
cudaError_t run(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    kernel<<<(unsigned)((n + 383) / 384), 192, 0, stream>>>(x, y, n, approximate == 1);
    return cudaGetLastError();
}
#define L(name, T)                                                                                            \
    extern "C" cudaError_t name(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) {      \
        return run(x, y, n, approximate, stream);                                                             \
    }
L(gelu, float)
L(gelu_f16, __half)
L(gelu_bf16, __nv_bfloat16)
