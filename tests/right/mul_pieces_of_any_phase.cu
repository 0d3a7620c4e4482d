// exercise: softmax_mul
// unusual: 16-byte pieces of x from its own boundary, w and y by the widest access that their phase beside x's allows, chosen by a switch; cuda::std::bit_cast
#include <cuda/std/bit>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

template <typename T> struct alignas(16) Sixteen { T v[16 / sizeof(T)]; };
template <typename T, typename W> struct Parts { W v[16 / sizeof(W)]; };
constexpr int kThreads = 192, kWarps = kThreads / 32;

template <typename W, typename T> __device__ Sixteen<T> load_as(const T* p) {
    Parts<T, W> parts;
#pragma unroll
    for (int i = 0; i < (int)(16 / sizeof(W)); ++i) parts.v[i] = reinterpret_cast<const W*>(p)[i];
    return cuda::std::bit_cast<Sixteen<T>>(parts);
}
template <typename W, typename T> __device__ void store_as(T* p, Sixteen<T> s) {
    const Parts<T, W> parts = cuda::std::bit_cast<Parts<T, W>>(s);
#pragma unroll
    for (int i = 0; i < (int)(16 / sizeof(W)); ++i) reinterpret_cast<W*>(p)[i] = parts.v[i];
}
template <typename T> __device__ Sixteen<T> load(const T* p) {
    switch ((uintptr_t)p % 16) {
        case 0: return load_as<uint4>(p);
        case 8: return load_as<uint2>(p);
        case 4: case 12: return load_as<unsigned>(p);
        default: return load_as<unsigned short>(p);
    }
}
template <typename T> __device__ void store(T* p, Sixteen<T> s) {
    switch ((uintptr_t)p % 16) {
        case 0: store_as<uint4>(p, s); break;
        case 8: store_as<uint2>(p, s); break;
        case 4: case 12: store_as<unsigned>(p, s); break;
        default: store_as<unsigned short>(p, s);
    }
}
template <bool kSum> __device__ float joined(float v) {
    __shared__ float slots[kWarps];
    for (int o = 16; o; o >>= 1) {
        const float u = __shfl_xor_sync(~0u, v, o);
        v = kSum ? v + u : fmaxf(v, u);
    }
    if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = v;
    __syncthreads();
    v = slots[0];
    for (int i = 1; i < kWarps; ++i) v = kSum ? v + slots[i] : fmaxf(v, slots[i]);
    return v;
}
template <typename T> __global__ void fused(const T* x, const T* w, T* y, int64_t cols, int64_t xs, int64_t ws, int64_t ys) {
    constexpr int kEach = 16 / sizeof(T);
    x += blockIdx.x * xs;
    w += blockIdx.x * ws;
    y += blockIdx.x * ys;
    int64_t head = (-(int64_t)(uintptr_t)x & 15) / (int64_t)sizeof(T);
    if (head > cols) head = cols;
    const int64_t pieces = (cols - head) / kEach, tail = head + pieces * kEach, t = threadIdx.x;
    const int64_t single = t < head ? t : tail + t - head;   // fewer than 2 * 16 of them
    float m = -INFINITY, s = 0.0f;
    if (single < cols) m = (float)x[single];
    for (int64_t p = t; p < pieces; p += kThreads) {
        const Sixteen<T> v = load_as<uint4>(x + head + p * kEach);
#pragma unroll
        for (int e = 0; e < kEach; ++e) m = fmaxf(m, (float)v.v[e]);
    }
    m = joined<false>(m);
    if (single < cols) s = expf((float)x[single] - m);
    for (int64_t p = t; p < pieces; p += kThreads) {
        const Sixteen<T> v = load_as<uint4>(x + head + p * kEach);
#pragma unroll
        for (int e = 0; e < kEach; ++e) s += expf((float)v.v[e] - m);
    }
    s = joined<true>(s);
    if (single < cols) y[single] = T(expf((float)x[single] - m) / s * (float)w[single]);
    for (int64_t p = t; p < pieces; p += kThreads) {
        Sixteen<T> v = load_as<uint4>(x + head + p * kEach);
        const Sixteen<T> u = load(w + head + p * kEach);
#pragma unroll
        for (int e = 0; e < kEach; ++e) v.v[e] = T(expf((float)v.v[e] - m) / s * (float)u.v[e]);
        store(y + head + p * kEach, v);
    }
}
template <typename T> cudaError_t launch(const T* x, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    fused<<<(unsigned)rows, kThreads, 0, stream>>>(x, w, y, cols, xs, ws, ys);
    return cudaGetLastError();
}
extern "C" cudaError_t softmax_mul(const float* x, const float* w, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys, cudaStream_t s) { return launch(x, w, y, rows, cols, xs, ws, ys, s); }
extern "C" cudaError_t softmax_mul_f16(const __half* x, const __half* w, __half* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys, cudaStream_t s) { return launch(x, w, y, rows, cols, xs, ws, ys, s); }
extern "C" cudaError_t softmax_mul_bf16(const __nv_bfloat16* x, const __nv_bfloat16* w, __nv_bfloat16* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys, cudaStream_t s) { return launch(x, w, y, rows, cols, xs, ws, ys, s); }
