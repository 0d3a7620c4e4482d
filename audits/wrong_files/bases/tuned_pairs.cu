// Softmax in three types: each thread keeps a pair of running maximum and sum, pairs are joined by shuffles, 16 bytes per load where the row allows it.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kThreads = 256;

struct Pair {
    float top, sum;
};

__device__ Pair join(Pair a, Pair b) {
    const float top = fmaxf(a.top, b.top);
    if (top == -INFINITY) return {top, a.sum + b.sum};   // nothing but -inf so far; a NaN stays in the sum
    return {top, a.sum * expf(a.top - top) + b.sum * expf(b.top - top)};
}

__device__ Pair with(Pair p, float v) {
    if (v == -INFINITY) return p;
    return join(p, {v, isfinite(v) ? 1.0f : NAN});
}

__device__ Pair of_block(Pair p) {
    __shared__ Pair pairs[kThreads / 32];
    for (int far = 16; far > 0; far /= 2) {
        const Pair other = {__shfl_xor_sync(0xffffffff, p.top, far), __shfl_xor_sync(0xffffffff, p.sum, far)};
        p = join(p, other);
    }
    if (threadIdx.x % 32 == 0) pairs[threadIdx.x / 32] = p;
    __syncthreads();
    p = pairs[0];
    for (int w = 1; w < kThreads / 32; ++w) {
        const Pair other = pairs[w];
        p = join(p, other);
    }
    return p;
}

template <typename T> struct alignas(16) Pack {
    T v[16 / sizeof(T)];
};

template <typename T>
__global__ void softmax_rows(const T* x, T* y, int64_t cols, int64_t x_stride, int64_t y_stride) {
    constexpr int N = 16 / sizeof(T);
    const T* in = x + (int64_t)blockIdx.x * x_stride;
    T* out = y + (int64_t)blockIdx.x * y_stride;
    const bool wide = (uintptr_t)in % 16 == 0 && (uintptr_t)out % 16 == 0;
    const int64_t packs = wide ? cols / N : 0;
    Pair p = {-INFINITY, 0.0f};
    for (int64_t i = threadIdx.x; i < packs; i += kThreads) {
        const Pack<T> pack = ((const Pack<T>*)in)[i];
        for (int j = 0; j < N; ++j) p = with(p, (float)pack.v[j]);
    }
    for (int64_t c = packs * N + threadIdx.x; c < cols; c += kThreads) p = with(p, (float)in[c]);
    p = of_block(p);
    const float scale = p.top == -INFINITY ? NAN : 1.0f / p.sum;
    for (int64_t i = threadIdx.x; i < packs; i += kThreads) {
        Pack<T> pack = ((const Pack<T>*)in)[i];
        for (int j = 0; j < N; ++j) pack.v[j] = (T)(expf((float)pack.v[j] - p.top) * scale);
        ((Pack<T>*)out)[i] = pack;
    }
    for (int64_t c = packs * N + threadIdx.x; c < cols; c += kThreads) out[c] = (T)(expf((float)in[c] - p.top) * scale);
}

template <typename T>
cudaError_t run(const T* x, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    softmax_rows<T><<<(unsigned)rows, kThreads, 0, stream>>>(x, y, cols, xs, ys);
    return cudaGetLastError();
}

extern "C" cudaError_t softmax_tuned(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys,
                                     cudaStream_t stream) {
    return run<float>(x, y, rows, cols, xs, ys, stream);
}
extern "C" cudaError_t softmax_tuned_f16(const __half* x, __half* y, int64_t rows, int64_t cols, int64_t xs,
                                         int64_t ys, cudaStream_t stream) {
    return run<__half>(x, y, rows, cols, xs, ys, stream);
}
extern "C" cudaError_t softmax_tuned_bf16(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t rows, int64_t cols,
                                          int64_t xs, int64_t ys, cudaStream_t stream) {
    return run<__nv_bfloat16>(x, y, rows, cols, xs, ys, stream);
}
