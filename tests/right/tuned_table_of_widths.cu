// exercise: softmax_tuned
// unusual: kernels in a table made by an index_sequence, a vector width as template argument, aligned packs by value, a row in registers
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

template <typename T, int N> struct alignas(sizeof(T) * N) Pack {
    T item[N];
};
template <typename T> struct Traits;
template <> struct Traits<float> {
    static __device__ float widen(float v) { return v; }
    static __device__ float narrow(float v) { return v; }
};
template <> struct Traits<__half> {
    static __device__ float widen(__half v) { return __half2float(v); }
    static __device__ __half narrow(float v) { return __float2half_rn(v); }
};
template <> struct Traits<__nv_bfloat16> {
    static __device__ float widen(__nv_bfloat16 v) { return __bfloat162float(v); }
    static __device__ __nv_bfloat16 narrow(float v) { return __float2bfloat16_rn(v); }
};
struct Softmax {   // what is known of a part of a row
    float top, sum;
    friend __device__ Softmax operator|(Softmax a, Softmax b) {
        const float top = fmaxf(a.top, b.top);
        const float shift = top == -INFINITY ? 0.0f : top;
        return {top, a.sum * __expf(a.top - shift) + b.sum * __expf(b.top - shift)};
    }
    __device__ Softmax from(int distance) const {
        return {__shfl_xor_sync(0xffffffffu, top, distance), __shfl_xor_sync(0xffffffffu, sum, distance)};
    }
};
template <typename T> struct Args {
    const T* x;
    T* y;
    int64_t rows, cols, xs, ys;
};
constexpr int kThreads = 256, kWarps = kThreads / 32, kHeld = 32;   // elements that a thread holds

template <typename T, int kWidth> __global__ void __launch_bounds__(kThreads) row_of_block(const Args<T> a) {
    using P = Pack<T, kWidth>;
    constexpr int kPacks = kHeld / kWidth;
    __shared__ Softmax warps[kWarps];
    const int64_t row = blockIdx.x;
    const T *x = a.x + row * a.xs;
    T* y = a.y + row * a.ys;
    const int64_t packs = a.cols / kWidth;
    float held[kPacks][kWidth];
    float top = -INFINITY, sum = 0.0f;
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
        const int64_t at = p * kThreads + threadIdx.x;
        if (at < packs) {
            const P got = reinterpret_cast<const P*>(x)[at];
#pragma unroll
            for (int i = 0; i < kWidth; ++i) top = fmaxf(top, held[p][i] = Traits<T>::widen(got.item[i]));
        } else {
#pragma unroll
            for (int i = 0; i < kWidth; ++i) held[p][i] = -INFINITY;
        }
    }
    const float shift = top == -INFINITY ? 0.0f : top;
#pragma unroll
    for (int p = 0; p < kPacks; ++p)
#pragma unroll
        for (int i = 0; i < kWidth; ++i) sum += __expf(held[p][i] - shift);
    Softmax mine{top, sum};
    // what lies beyond the registers is read again
    for (int64_t at = (int64_t)kPacks * kThreads + threadIdx.x; at < packs; at += kThreads) {
        const P got = reinterpret_cast<const P*>(x)[at];
#pragma unroll
        for (int i = 0; i < kWidth; ++i) mine = mine | Softmax{Traits<T>::widen(got.item[i]), 1.0f};
    }
    for (int64_t c = packs * kWidth + threadIdx.x; c < a.cols; c += kThreads) mine = mine | Softmax{Traits<T>::widen(x[c]), 1.0f};
    for (int d = 16; d >= 1; d /= 2) mine = mine | mine.from(d);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = mine;
    __syncthreads();
    mine = warps[0];
#pragma unroll
    for (int w = 1; w < kWarps; ++w) mine = mine | warps[w];
    const float scale = 1.0f / mine.sum;
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
        const int64_t at = p * kThreads + threadIdx.x;
        if (at >= packs) break;
        P out;
#pragma unroll
        for (int i = 0; i < kWidth; ++i) out.item[i] = Traits<T>::narrow(__expf(held[p][i] - mine.top) * scale);
        reinterpret_cast<P*>(y)[at] = out;
    }
    for (int64_t at = (int64_t)kPacks * kThreads + threadIdx.x; at < packs; at += kThreads) {
        P got = reinterpret_cast<const P*>(x)[at];
#pragma unroll
        for (int i = 0; i < kWidth; ++i) got.item[i] = Traits<T>::narrow(__expf(Traits<T>::widen(got.item[i]) - mine.top) * scale);
        reinterpret_cast<P*>(y)[at] = got;
    }
    for (int64_t c = packs * kWidth + threadIdx.x; c < a.cols; c += kThreads) y[c] = Traits<T>::narrow(__expf(Traits<T>::widen(x[c]) - mine.top) * scale);
}

template <typename T> using Kernel = void (*)(Args<T>);
template <typename T, int... kLog> constexpr std::array<Kernel<T>, sizeof...(kLog)> table(std::integer_sequence<int, kLog...>) {
    return {{row_of_block<T, (1 << kLog)>...}};
}
template <typename T> cudaError_t softmax_of(Args<T> a, cudaStream_t stream) {
    if (a.rows <= 0 || a.cols <= 0) return cudaSuccess;
    constexpr int kMost = sizeof(T) == 4 ? 3 : 4;
    static constexpr auto kernels = table<T>(std::make_integer_sequence<int, kMost>{});
    const auto all = reinterpret_cast<uintptr_t>(a.x) | reinterpret_cast<uintptr_t>(a.y) | static_cast<uintptr_t>(a.xs * sizeof(T)) | static_cast<uintptr_t>(a.ys * sizeof(T));
    int widest = kMost - 1;
    while (widest > 0 && all % (sizeof(T) << widest) != 0) --widest;
    kernels[widest]<<<static_cast<unsigned>(a.rows), kThreads, 0, stream>>>(a);
    return cudaGetLastError();
}
#define EXPORT(name, T)                                                                                                                     \
    extern "C" cudaError_t name(const T* x, T* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, cudaStream_t s) { \
        return softmax_of(Args<T>{x, y, rows, cols, x_row_stride, y_row_stride}, s);                                                        \
    }
EXPORT(softmax_tuned, float)
EXPORT(softmax_tuned_f16, __half)
EXPORT(softmax_tuned_bf16, __nv_bfloat16)
