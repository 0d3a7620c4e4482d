// exercise: softmax_tuned
// unusual: maximum and sum travel together as the two halves of a 64-bit word, one shuffle a step; 16-byte loads in PTX that do not stay in L1
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__device__ __forceinline__ void load16(const void* p, unsigned (&w)[4]) {
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(p));
}
__device__ __forceinline__ void widened(float, unsigned w, float* to) { to[0] = __uint_as_float(w); }
__device__ __forceinline__ void widened(__half, unsigned w, float* to) {
    to[0] = __half2float(__ushort_as_half(w & 0xffff));
    to[1] = __half2float(__ushort_as_half(w >> 16));
}
__device__ __forceinline__ void widened(__nv_bfloat16, unsigned w, float* to) {
    to[0] = __uint_as_float(w << 16);   // a bfloat16 is the upper half of a float
    to[1] = __uint_as_float(w & 0xffff0000u);
}
struct State {
    float top = -INFINITY, sum = 0.0f;
    __device__ void see(float v) {
        const float now = fmaxf(top, v), base = now == -INFINITY ? 0.0f : now;
        sum = fmaf(sum, expf(top - base), expf(v - base));
        top = now;
    }
    __device__ void join(float top2, float sum2) {
        const float now = fmaxf(top, top2), base = now == -INFINITY ? 0.0f : now;
        sum = sum * expf(top - base) + sum2 * expf(top2 - base);
        top = now;
    }
    __device__ unsigned long long word() const { return (unsigned long long)__float_as_uint(top) << 32 | __float_as_uint(sum); }
    __device__ void join(unsigned long long w) { join(__uint_as_float((unsigned)(w >> 32)), __uint_as_float((unsigned)w)); }
};
constexpr int kThreads = 256;
template <typename T> __global__ void __launch_bounds__(kThreads) softmax(const T* __restrict__ x, T* __restrict__ y, int64_t cols, int64_t xs, int64_t ys) {
    constexpr int kEach = 16 / sizeof(T);
    __shared__ unsigned long long words[kThreads / 32];
    const T* in = x + blockIdx.x * xs;
    T* out = y + blockIdx.x * ys;
    int64_t head = (16 - (uintptr_t)in % 16) % 16 / sizeof(T);
    if (head > cols) head = cols;
    const int64_t pieces = (cols - head) / kEach, tail = head + pieces * kEach;
    State state;
    if (threadIdx.x < head) state.see((float)in[threadIdx.x]);
    for (int64_t p = threadIdx.x; p < pieces; p += kThreads) {
        unsigned w[4];
        float v[kEach];
        load16(in + head + p * kEach, w);
#pragma unroll
        for (int i = 0; i < 4; ++i) widened(T(), w[i], v + i * kEach / 4);
#pragma unroll
        for (int i = 0; i < kEach; ++i) state.see(v[i]);
    }
    if (tail + threadIdx.x < cols) state.see((float)in[tail + threadIdx.x]);
#pragma unroll
    for (int o = 16; o; o >>= 1) state.join(__shfl_xor_sync(~0u, state.word(), o));
    if (threadIdx.x % 32 == 0) words[threadIdx.x / 32] = state.word();
    __syncthreads();
    State whole;
#pragma unroll
    for (int i = 0; i < kThreads / 32; ++i) whole.join(words[i]);
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) out[c] = T(expf((float)in[c] - whole.top) / whole.sum);
}
template <typename T> cudaError_t launch(const T* x, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    softmax<<<(unsigned)rows, kThreads, 0, stream>>>(x, y, cols, xs, ys);
    return cudaGetLastError();
}
extern "C" {
cudaError_t softmax_tuned(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t s) { return launch(x, y, rows, cols, xs, ys, s); }
cudaError_t softmax_tuned_f16(const __half* x, __half* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t s) { return launch(x, y, rows, cols, xs, ys, s); }
cudaError_t softmax_tuned_bf16(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t s) { return launch(x, y, rows, cols, xs, ys, s); }
}
