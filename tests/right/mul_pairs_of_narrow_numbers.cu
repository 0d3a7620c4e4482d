// exercise: softmax_mul
// unusual: pairs of 16-bit numbers where both lie on 4 bytes, float4's own way for float, goto for the tail
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

template <typename T> struct Pair { using type = float2; static __device__ float2 wide(float2 v) { return v; } static __device__ float2 narrow(float2 v) { return v; } };
template <> struct Pair<__half> { using type = __half2; static __device__ float2 wide(__half2 v) { return __half22float2(v); } static __device__ __half2 narrow(float2 v) { return __float22half2_rn(v); } };
template <> struct Pair<__nv_bfloat16> { using type = __nv_bfloat162; static __device__ float2 wide(__nv_bfloat162 v) { return __bfloat1622float2(v); } static __device__ __nv_bfloat162 narrow(float2 v) { return __float22bfloat162_rn(v); } };
template <typename T> __global__ void mul(const T* x, const T* w, T* y, int64_t cols, int64_t xs, int64_t ws, int64_t ys) {
    using P = Pair<T>;
    using Two = typename P::type;
    __shared__ float s[128];
    const T* in = x + blockIdx.x * xs;
    const T* by = w + blockIdx.x * ws;
    T* out = y + blockIdx.x * ys;
    const bool pairs = (((uintptr_t)in | (uintptr_t)by | (uintptr_t)out) & (sizeof(Two) - 1)) == 0;
    const int t = threadIdx.x;
    float m = -INFINITY, sum = 0.0f;
    for (int64_t c = t; c < cols; c += 128) m = fmaxf(m, (float)in[c]);
    s[t] = m;
    __syncthreads();
    for (int k = 64; k > 0; k >>= 1) { if (t < k) s[t] = fmaxf(s[t], s[t + k]); __syncthreads(); }
    m = s[0];
    __syncthreads();
    for (int64_t c = t; c < cols; c += 128) sum += expf((float)in[c] - m);
    s[t] = sum;
    __syncthreads();
    for (int k = 64; k > 0; k >>= 1) { if (t < k) s[t] += s[t + k]; __syncthreads(); }
    const float inverse = 1.0f / s[0];
    const int64_t whole = pairs ? cols / 2 : 0;
    for (int64_t p = t; p < whole; p += 128) {
        const float2 v = P::wide(((const Two*)in)[p]), u = P::wide(((const Two*)by)[p]);
        ((Two*)out)[p] = P::narrow(make_float2(expf(v.x - m) * inverse * u.x, expf(v.y - m) * inverse * u.y));
    }
    for (int64_t c = 2 * whole + t; c < cols; c += 128) out[c] = (T)(expf((float)in[c] - m) * inverse * (float)by[c]);
}
template <typename T> static cudaError_t run(const T* x, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    mul<T><<<(unsigned)rows, 128, 0, stream>>>(x, w, y, cols, xs, ws, ys);
    return cudaGetLastError();
}

#define LAUNCHER(name, T) \
extern "C" cudaError_t name(const T* x, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys, cudaStream_t stream) { \
    return run<T>(x, w, y, rows, cols, xs, ws, ys, stream); }
LAUNCHER(softmax_mul, float)
LAUNCHER(softmax_mul_f16, __half)
LAUNCHER(softmax_mul_bf16, __nv_bfloat16)
