// exercise: softmax_tuned
// unusual: __hmax2 finds the maximum of 16-bit numbers in pairs, without widening one; __reduce_max_sync joins two halves at once where they are ordered bits
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kThreads = 128;
template <typename T> struct Twice;
template <> struct Twice<float> {
    using Type = float2;
    static __device__ float2 both(float v) { return make_float2(v, v); }
    static __device__ float2 most(float2 a, float2 b) { return make_float2(fmaxf(a.x, b.x), fmaxf(a.y, b.y)); }
    static __device__ float2 wide(float2 v) { return v; }
    static __device__ float2 narrow(float2 v) { return v; }
};
template <> struct Twice<__half> {
    using Type = __half2;
    static __device__ __half2 both(__half v) { return __half2half2(v); }
    static __device__ __half2 most(__half2 a, __half2 b) { return __hmax2(a, b); }
    static __device__ float2 wide(__half2 v) { return __half22float2(v); }
    static __device__ __half2 narrow(float2 v) { return __float22half2_rn(v); }
};
template <> struct Twice<__nv_bfloat16> {
    using Type = __nv_bfloat162;
    static __device__ __nv_bfloat162 both(__nv_bfloat16 v) { return __bfloat162bfloat162(v); }
    static __device__ __nv_bfloat162 most(__nv_bfloat162 a, __nv_bfloat162 b) { return __hmax2(a, b); }
    static __device__ float2 wide(__nv_bfloat162 v) { return __bfloat1622float2(v); }
    static __device__ __nv_bfloat162 narrow(float2 v) { return __float22bfloat162_rn(v); }
};
__device__ unsigned ordered(float v) {
    const unsigned bits = __float_as_uint(v);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}
__device__ float number(unsigned bits) { return __uint_as_float(bits >> 31 ? bits & 0x7fffffffu : ~bits); }

template <typename T> __global__ void softmax(const T* x, T* y, int64_t cols, int64_t xs, int64_t ys) {
    using Pair = typename Twice<T>::Type;
    __shared__ float tops[4], sums[4];
    const T* in = x + blockIdx.x * xs;
    T* out = y + blockIdx.x * ys;
    const int t = threadIdx.x;
    const bool paired = ((uintptr_t)in | (uintptr_t)out) % sizeof(Pair) == 0;
    const int64_t pairs = paired ? cols / 2 : 0, rest = 2 * pairs;
    const Pair* in2 = reinterpret_cast<const Pair*>(in);
    Pair best = Twice<T>::both(T(-INFINITY));
    for (int64_t p = t; p < pairs; p += kThreads) {
        const Pair v = in2[p];
        best = Twice<T>::most(best, v);
    }
    const float2 two = Twice<T>::wide(best);
    float m = fmaxf(two.x, two.y);
    for (int64_t c = rest + t; c < cols; c += kThreads) m = fmaxf(m, (float)in[c]);
    m = number(__reduce_max_sync(0xffffffffu, ordered(m)));
    if (t % 32 == 0) tops[t / 32] = m;
    __syncthreads();
    m = fmaxf(fmaxf(tops[0], tops[1]), fmaxf(tops[2], tops[3]));
    float s = 0.0f;
    for (int64_t p = t; p < pairs; p += kThreads) {
        const Pair v = in2[p];
        const float2 w = Twice<T>::wide(v);
        s += expf(w.x - m) + expf(w.y - m);
    }
    for (int64_t c = rest + t; c < cols; c += kThreads) s += expf((float)in[c] - m);
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    if (t % 32 == 0) sums[t / 32] = s;
    __syncthreads();
    s = sums[0] + sums[1] + sums[2] + sums[3];
    for (int64_t p = t; p < pairs; p += kThreads) {
        const Pair v = in2[p];
        const float2 w = Twice<T>::wide(v);
        const Pair r = Twice<T>::narrow(make_float2(expf(w.x - m) / s, expf(w.y - m) / s));
        reinterpret_cast<Pair*>(out)[p] = r;
    }
    for (int64_t c = rest + t; c < cols; c += kThreads) out[c] = T(expf((float)in[c] - m) / s);
}
template <typename T> cudaError_t launch(const T* x, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    softmax<T><<<(unsigned)rows, kThreads, 0, stream>>>(x, y, cols, xs, ys);
    return cudaGetLastError();
}
extern "C" cudaError_t softmax_tuned(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t stream) { return launch(x, y, rows, cols, xs, ys, stream); }
extern "C" cudaError_t softmax_tuned_f16(const __half* x, __half* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t stream) { return launch(x, y, rows, cols, xs, ys, stream); }
extern "C" cudaError_t softmax_tuned_bf16(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t stream) { return launch(x, y, rows, cols, xs, ys, stream); }
