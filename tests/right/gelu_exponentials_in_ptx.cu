// exercise: gelu
// unusual: ex2.approx and rcp.approx in PTX with a predicated move for large arguments; vectors of 32 bytes as a struct of two, phases peeled by the host
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__device__ __forceinline__ float exp2_of(float v) { float r; asm("ex2.approx.f32 %0, %1;" : "=f"(r) : "f"(v)); return r; }
__device__ __forceinline__ float inverse(float v) { float r; asm("rcp.approx.f32 %0, %1;" : "=f"(r) : "f"(v)); return r; }
__device__ __forceinline__ float where_less(float a, float b, float then, float otherwise) {
    float r;
    asm("{\n\t.reg .pred p;\n\tsetp.lt.f32 p, %1, %2;\n\tselp.f32 %0, %3, %4, p;\n\t}" : "=f"(r) : "f"(a), "f"(b), "f"(then), "f"(otherwise));
    return r;
}
struct Exact { __device__ static float of(float x) { return x * normcdff(x); } };
struct Tanh {
    __device__ static float of(float x) {
        const float e = exp2_of(-2.302208198f * (x + 0.044715f * x * x * x));   // 2 * sqrt(2 / pi) * log2(e)
        return where_less(10.0f, x, x, x * inverse(1.0f + e));
    }
};
template <typename Form, typename T> __device__ T gelu_of(T x) { return T(Form::of(float(x))); }
template <typename T> struct alignas(16) Piece { T at[16 / sizeof(T)]; };

template <typename Form, typename T> __global__ void ends(const T* x, T* y, int64_t head, int64_t tail, int64_t n) {
    const int64_t i = threadIdx.x < head ? (int64_t)threadIdx.x : tail + (threadIdx.x - head);
    if (i < n) y[i] = gelu_of<Form>(x[i]);
}
template <typename Form, typename T> __global__ void body(const Piece<T>* x, Piece<T>* y, int64_t count) {
    const int64_t p = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= count) return;
    Piece<T> piece = x[p];
#pragma unroll
    for (T& v : piece.at) v = gelu_of<Form>(v);
    y[p] = piece;
}
template <typename Form, typename T> __global__ void singles(const T* x, T* y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = gelu_of<Form>(x[i]);
}
template <typename Form, typename T> cudaError_t launch(const T* x, T* y, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    constexpr int64_t kEach = 16 / sizeof(T);
    if (((uintptr_t)x ^ (uintptr_t)y) % 16) {
        singles<Form><<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(x, y, n);
        return cudaGetLastError();
    }
    int64_t head = (16 - (uintptr_t)x % 16) % 16 / sizeof(T);
    if (head > n) head = n;
    const int64_t count = (n - head) / kEach, tail = head + count * kEach;
    if (count > 0) {
        body<Form><<<(unsigned)((count + 127) / 128), 128, 0, stream>>>(reinterpret_cast<const Piece<T>*>(x + head), reinterpret_cast<Piece<T>*>(y + head), count);
        if (cudaError_t e = cudaGetLastError()) return e;
    }
    if (head > 0 || tail < n) {
        ends<Form><<<1, (unsigned)(head + n - tail), 0, stream>>>(x, y, head, tail, n);
        return cudaGetLastError();
    }
    return cudaSuccess;
}
template <typename T> cudaError_t chosen(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) { return approximate ? launch<Tanh>(x, y, n, stream) : launch<Exact>(x, y, n, stream); }
extern "C" cudaError_t gelu(const float* x, float* y, int64_t n, int64_t approximate, cudaStream_t s) { return chosen(x, y, n, approximate, s); }
extern "C" cudaError_t gelu_f16(const __half* x, __half* y, int64_t n, int64_t approximate, cudaStream_t s) { return chosen(x, y, n, approximate, s); }
extern "C" cudaError_t gelu_bf16(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t n, int64_t approximate, cudaStream_t s) { return chosen(x, y, n, approximate, s); }
