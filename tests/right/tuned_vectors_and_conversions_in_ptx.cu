// exercise: softmax_tuned
// unusual: typed PTX throughout: ld.global.v4.f32 or v4.b32, ex2.approx, fma.rn, cvt.rn.f16x2.f32 and cvt.rn.bf16x2.f32, st.global.cs.v2; heads and tails plainly
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__device__ __forceinline__ float power(float v) { float r; asm("ex2.approx.f32 %0, %1;" : "=f"(r) : "f"(v)); return r; }
__device__ __forceinline__ float fused(float a, float b, float c) { float r; asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(a), "f"(b), "f"(c)); return r; }

template <typename T> struct Four;   // four neighbours, at an address that four of them divide
template <> struct Four<float> {
    static __device__ __forceinline__ void load(const float* p, float (&v)[4]) { asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3]) : "l"(p)); }
    static __device__ __forceinline__ void store(float* p, const float (&v)[4]) { asm volatile("st.global.cs.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(p), "f"(v[0]), "f"(v[1]), "f"(v[2]), "f"(v[3]) : "memory"); }
};
template <> struct Four<__half> {
    static __device__ __forceinline__ void load(const __half* p, float (&v)[4]) {
        uint16_t h[4];
        asm volatile("ld.global.v4.b16 {%0, %1, %2, %3}, [%4];" : "=h"(h[0]), "=h"(h[1]), "=h"(h[2]), "=h"(h[3]) : "l"(p));
#pragma unroll
        for (int i = 0; i < 4; ++i) asm("cvt.f32.f16 %0, %1;" : "=f"(v[i]) : "h"(h[i]));
    }
    static __device__ __forceinline__ void store(__half* p, const float (&v)[4]) {
        uint32_t low, high;
        asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(low) : "f"(v[1]), "f"(v[0]));
        asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(high) : "f"(v[3]), "f"(v[2]));
        asm volatile("st.global.cs.v2.b32 [%0], {%1, %2};" ::"l"(p), "r"(low), "r"(high) : "memory");
    }
};
template <> struct Four<__nv_bfloat16> {
    static __device__ __forceinline__ void load(const __nv_bfloat16* p, float (&v)[4]) {
        uint32_t low, high;
        asm volatile("ld.global.v2.b32 {%0, %1}, [%2];" : "=r"(low), "=r"(high) : "l"(p));
        v[0] = __uint_as_float(low << 16), v[1] = __uint_as_float(low & 0xffff0000u);
        v[2] = __uint_as_float(high << 16), v[3] = __uint_as_float(high & 0xffff0000u);
    }
    static __device__ __forceinline__ void store(__nv_bfloat16* p, const float (&v)[4]) {
        uint32_t low, high;
        asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(low) : "f"(v[1]), "f"(v[0]));
        asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(high) : "f"(v[3]), "f"(v[2]));
        asm volatile("st.global.cs.v2.b32 [%0], {%1, %2};" ::"l"(p), "r"(low), "r"(high) : "memory");
    }
};
constexpr int kThreads = 256;
constexpr float kLog2e = 1.4426950408889634f;
template <bool kSum> __device__ float joined(float v) {
    __shared__ float slots[kThreads / 32];
    for (int o = 16; o; o >>= 1) {
        const float u = __shfl_xor_sync(0xffffffffu, v, o);
        v = kSum ? v + u : fmaxf(v, u);
    }
    if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = v;
    __syncthreads();
    v = slots[0];
    for (int i = 1; i < kThreads / 32; ++i) v = kSum ? v + slots[i] : fmaxf(v, slots[i]);
    return v;
}
template <typename T> __global__ void softmax(const T* x, T* y, int64_t cols, int64_t xs, int64_t ys) {
    const T* in = x + blockIdx.x * xs;
    T* out = y + blockIdx.x * ys;
    const bool alike = ((uintptr_t)in ^ (uintptr_t)out) % (4 * sizeof(T)) == 0;
    int64_t head = (4 - (int64_t)((uintptr_t)in / sizeof(T) % 4)) % 4;
    if (!alike || head > cols) head = cols;
    const int64_t groups = (cols - head) / 4, tail = head + 4 * groups;
    float m = -INFINITY, s = 0.0f, v[4];
    const auto each = [&](auto&& f) {
        for (int64_t c = threadIdx.x; c < head; c += kThreads) f(c);
        for (int64_t c = tail + threadIdx.x; c < cols; c += kThreads) f(c);
    };
    each([&](int64_t c) { m = fmaxf(m, (float)in[c]); });
    for (int64_t g = threadIdx.x; g < groups; g += kThreads) {
        Four<T>::load(in + head + 4 * g, v);
        m = fmaxf(m, fmaxf(fmaxf(v[0], v[1]), fmaxf(v[2], v[3])));
    }
    m = joined<false>(m);
    each([&](int64_t c) { s += power(((float)in[c] - m) * kLog2e); });
    for (int64_t g = threadIdx.x; g < groups; g += kThreads) {
        Four<T>::load(in + head + 4 * g, v);
#pragma unroll
        for (int i = 0; i < 4; ++i) s = fused(power((v[i] - m) * kLog2e), 1.0f, s);
    }
    s = joined<true>(s);
    each([&](int64_t c) { out[c] = T(power(((float)in[c] - m) * kLog2e) / s); });
    for (int64_t g = threadIdx.x; g < groups; g += kThreads) {
        Four<T>::load(in + head + 4 * g, v);
#pragma unroll
        for (int i = 0; i < 4; ++i) v[i] = power((v[i] - m) * kLog2e) / s;
        Four<T>::store(out + head + 4 * g, v);
    }
}
template <typename T> cudaError_t launch(const T* x, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    softmax<<<(unsigned)rows, kThreads, 0, stream>>>(x, y, cols, xs, ys);
    return cudaGetLastError();
}
extern "C" cudaError_t softmax_tuned(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t s) { return launch(x, y, rows, cols, xs, ys, s); }
extern "C" cudaError_t softmax_tuned_f16(const __half* x, __half* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t s) { return launch(x, y, rows, cols, xs, ys, s); }
extern "C" cudaError_t softmax_tuned_bf16(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t s) { return launch(x, y, rows, cols, xs, ys, s); }
