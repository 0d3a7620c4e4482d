// gelu: y[i] = x[i] * Phi(x[i]) at the speed of a copy, Phi exactly or by its tanh, in fp32, fp16 and bf16, at any address.
//
// Check: onekernel check gelu
// Bench: python bench/fusion.py
// Ledger: reads 1, writes 1
// <gap>
//| //
//| // Unfused, this is eight operators, and each of them reads and writes every element. Here it is one.
//| // The idea: ...
//| // But: ...
//|
//| #include <cuda_bf16.h>
//| #include <cuda_fp16.h>
//| #include <cuda_runtime.h>
//| #include <math.h>
//| #include <stdint.h>
//|
//| template <typename T> __global__ void gelu_kernel(const T* x, T* y, int64_t n, int64_t approximate) {
//|     // TODO: one element first, in float whatever T is: float v = (float)x[i], and y[i] = (T)v. Then 16 bytes at a time.
//|     (void)x; (void)y; (void)n; (void)approximate;
//| }
//|
//| template <typename T> cudaError_t gelu_of(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) {
//|     if (n <= 0) return cudaSuccess;
//|     // TODO: how many blocks of how many threads? Where does a vector begin if x or y does not start on a multiple of 16 bytes?
//|     gelu_kernel<T><<<1, 256, 0, stream>>>(x, y, n, approximate);
//|     return cudaGetLastError();
//| }
//
// The idea: Phi costs no memory, so the chain is as fast as a copy if its arithmetic stays hidden. Both forms of Phi are a logistic
// function, 1 / (1 + 2^-t): one exponential and one reciprocal, without the cancellation of 1 + tanh and 1 + erf. For the tanh, t is a
// cubic in x; exactly, it is the logit of Phi, an odd function that a polynomial of degree 13 follows (below).
// Loads are 16 bytes wide from the output's first cache line on, so that a warp fills the lines that it writes. Where the input lies
// otherwise, two aligned vectors are shifted into one; what is left at either end is read and written element by element. One vector per
// thread is enough: on an H200 two or four cost 3 % and 4 %, because a block of them lives longer.
//
// But: a chain is cheap only while it is a chain: with a second consumer of an intermediate result it would be computed twice.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <string.h>

constexpr int kLine = 128;   // bytes

// ---- Elements ---------------------------------------------------------------------------------------------------------------------------

template <typename To, typename From> __device__ __forceinline__ To bits(From from) {
    To to;
    memcpy(&to, &from, sizeof(To));
    return to;
}

template <typename T> struct Word;   // 32 bits: one fp32 or two 16-bit elements, as floats and back

template <> struct Word<float> {
    static __device__ __forceinline__ void unpack(uint32_t w, float* v) { v[0] = bits<float>(w); }
    static __device__ __forceinline__ uint32_t pack(const float* v) { return bits<uint32_t>(v[0]); }
};
template <> struct Word<__half> {
    static __device__ __forceinline__ void unpack(uint32_t w, float* v) {
        v[0] = __low2float(bits<__half2>(w));
        v[1] = __high2float(bits<__half2>(w));
    }
    static __device__ __forceinline__ uint32_t pack(const float* v) { return bits<uint32_t>(__floats2half2_rn(v[0], v[1])); }
};
template <> struct Word<__nv_bfloat16> {
    static __device__ __forceinline__ void unpack(uint32_t w, float* v) {   // a bf16 is the upper half of a float
        v[0] = bits<float>(w << 16);
        v[1] = bits<float>(w & 0xffff0000u);
    }
    static __device__ __forceinline__ uint32_t pack(const float* v) { return bits<uint32_t>(__floats2bfloat162_rn(v[0], v[1])); }
};

template <typename T> constexpr int kVector = 16 / sizeof(T);   // elements in 16 bytes
template <typename T> constexpr int kWord = 4 / sizeof(T);      // and in a word

template <typename T> __device__ __forceinline__ T from_float(float v) {
    const float twice[2] = {v, v};
    return bits<T>(Word<T>::pack(twice));
}

// ---- The function -----------------------------------------------------------------------------------------------------------------------

__device__ __forceinline__ float power_of_two(float v) {
#if __CUDA_ARCH__ >= 900
    float r;   // one instruction; results below 2^-126 become 0, which 1 + 2^-t does not notice
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
    return r;
#else
    return exp2f(v);
#endif
}

// log2(Phi(x) / Phi(-x)) / -x as a polynomial in x^2: least weighted error over |x| <= 5.5, where gelu comes out within 1e-6 of itself
// and 2e-8 of x. Beyond, Phi is 0 or 1 to fp32's precision, and the polynomial stays where it is.
__device__ __forceinline__ float exact_slope(float x2) {
    const float s = fminf(x2, 30.25f);
    float p = -5.24677546e-9f;
    p = fmaf(p, s, 3.85494531e-7f);
    p = fmaf(p, s, -1.14358791e-5f);
    p = fmaf(p, s, 1.59051866e-4f);
    p = fmaf(p, s, 9.7643242e-5f);
    p = fmaf(p, s, -0.104843006f);
    return fmaf(p, s, -2.30220461f);
}

// 1 + tanh(u) = 2 / (1 + exp(-2 u)), u = sqrt(2 / pi) * (x + 0.044715 x^3), in powers of two.
__device__ __forceinline__ float tanh_slope(float x2) {
    constexpr float kSlope = -2.3022082f;   // -2 * sqrt(2 / pi) * log2(e)
    return fmaf(x2, kSlope * 0.044715f, kSlope);
}

template <bool kTanh> __device__ __forceinline__ float gelu_of_one(float x) {
    const float x2 = x * x;
    return __fdividef(x, 1.0f + power_of_two(x * (kTanh ? tanh_slope(x2) : exact_slope(x2))));   // x / inf is 0, -inf / inf NaN
}

template <typename T, bool kTanh> __device__ __forceinline__ uint32_t gelu_of_word(uint32_t w) {
    float v[2];
    Word<T>::unpack(w, v);
#pragma unroll
    for (int j = 0; j < kWord<T>; ++j) v[j] = gelu_of_one<kTanh>(v[j]);
    return Word<T>::pack(v);
}

// ---- The kernel -------------------------------------------------------------------------------------------------------------------------

// The body is `vectors` of 16 bytes from element `head` on, where a cache line of y begins; x lies `skew` bytes after a multiple of 16
// there. The first `head` elements and the last ones are single: the first block takes them.
template <typename T> struct Plan {
    const T* x;
    T* y;
    int64_t n, vectors;
    int head, skew;

    Plan(const T* from, T* to, int64_t count) : x(from), y(to), n(count) {
        const int64_t size = sizeof(T);
        int64_t begin = (int64_t)((0 - (uintptr_t)y) & (kLine - 1)) / size;
        skew = (int)((uintptr_t)(x + begin) & 15);
        if (begin * size < skew) begin += kLine / size;   // the aligned vector before it would begin before x
        const int64_t room = (n - begin) * size + (skew ? skew - 16 : 0);   // and the one behind it end behind x
        vectors = room < 16 ? 0 : room / 16;
        head = (int)(begin < n ? begin : n);
    }
};

// The 16 bytes that begin `skew` bytes into the aligned vector a, and end in b, the next one.
__device__ __forceinline__ uint4 joined(uint4 a, uint4 b, int skew) {
    uint32_t w[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
    for (int i = 0; i < 6; ++i) w[i] = skew & 8 ? w[i + 2] : w[i];
#pragma unroll
    for (int i = 0; i < 5; ++i) w[i] = skew & 4 ? w[i + 1] : w[i];
    const int shift = (skew & 3) * 8;
    return make_uint4(__funnelshift_r(w[0], w[1], shift), __funnelshift_r(w[1], w[2], shift), __funnelshift_r(w[2], w[3], shift),
                      __funnelshift_r(w[3], w[4], shift));
}

// kEach vectors of a thread, kThreads apart: all are under way before the first is needed.
template <typename T, bool kTanh, bool kSkewed, int kThreads, int kEach>
__global__ void __launch_bounds__(kThreads) gelu_kernel(const Plan<T> plan) {
    const int64_t first = (int64_t)blockIdx.x * (kThreads * kEach) + threadIdx.x;
    const int skew = kSkewed ? plan.skew : 0;
    const uint4* from = (const uint4*)((const unsigned char*)(plan.x + plan.head) - skew) + first;
    uint4* to = (uint4*)(plan.y + plan.head) + first;
    uint4 v[kEach], next[kEach];
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
        if (first + k * kThreads < plan.vectors) {
            v[k] = from[k * kThreads];
            if (kSkewed) next[k] = from[k * kThreads + 1];
        }
    }
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
        if (first + k * kThreads < plan.vectors) {
            const uint4 w = kSkewed ? joined(v[k], next[k], skew) : v[k];
            to[k * kThreads] = make_uint4(gelu_of_word<T, kTanh>(w.x), gelu_of_word<T, kTanh>(w.y), gelu_of_word<T, kTanh>(w.z),
                                          gelu_of_word<T, kTanh>(w.w));
        }
    }
    if (blockIdx.x > 0) return;
    const int64_t singles = plan.n - plan.vectors * kVector<T>;
    for (int64_t s = threadIdx.x; s < singles; s += kThreads) {
        const int64_t i = s < plan.head ? s : s + plan.vectors * kVector<T>;
        plan.y[i] = from_float<T>(gelu_of_one<kTanh>((float)plan.x[i]));
    }
}

template <typename T, bool kTanh, bool kSkewed, int kThreads, int kEach> void launch(const Plan<T>& plan, cudaStream_t stream) {
    const int64_t blocks = (plan.vectors + kThreads * kEach - 1) / (kThreads * kEach);
    gelu_kernel<T, kTanh, kSkewed, kThreads, kEach><<<blocks > 0 ? (unsigned)blocks : 1, kThreads, 0, stream>>>(plan);
}

template <typename T, bool kTanh> cudaError_t gelu_of(const Plan<T>& plan, cudaStream_t stream) {
    if (plan.n <= 0) return cudaSuccess;
    if (plan.skew) launch<T, kTanh, true, 128, 2>(plan, stream);
    else launch<T, kTanh, false, 256, 1>(plan, stream);
    return cudaGetLastError();
}

template <typename T> cudaError_t gelu_of(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    const Plan<T> plan(x, y, n);
    return approximate ? gelu_of<T, true>(plan, stream) : gelu_of<T, false>(plan, stream);
}
// </gap>

extern "C" cudaError_t gelu(const float* x, float* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    return gelu_of(x, y, n, approximate, stream);
}

extern "C" cudaError_t gelu_f16(const __half* x, __half* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    return gelu_of(x, y, n, approximate, stream);
}

extern "C" cudaError_t gelu_bf16(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    return gelu_of(x, y, n, approximate, stream);
}
