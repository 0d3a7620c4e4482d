// exercise: gelu
// unusual: run-time numbers become compile-time ones by generic lambdas on integral_constants: the form, and the widest of five vectors that both addresses allow
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <cstring>
#include <math.h>
#include <type_traits>

template <int kBytes> struct Word;
template <> struct Word<2> { using Type = unsigned short; };
template <> struct Word<4> { using Type = unsigned; };
template <> struct Word<8> { using Type = uint2; };
template <> struct Word<16> { using Type = uint4; };

template <bool kTanh> __device__ __forceinline__ float gelu_of(float x) {
    if constexpr (kTanh) return 0.5f * x * (1.0f + tanhf(0.79788456f * x * (1.0f + 0.044715f * x * x)));
    else return 0.5f * x * (1.0f + erff(0.70710678f * x));
}
template <typename T, int kBytes, bool kTanh> __global__ void gelu_kernel(const T* x, T* y, std::int64_t n) {
    constexpr int kEach = kBytes / sizeof(T);
    using W = typename Word<kBytes>::Type;
    const std::int64_t i = ((std::int64_t)blockIdx.x * blockDim.x + threadIdx.x) * kEach;
    if (i + kEach <= n) {
        const W word = *reinterpret_cast<const W*>(x + i);
        T some[kEach];
        memcpy(some, &word, kBytes);
#pragma unroll
        for (int e = 0; e < kEach; ++e) some[e] = T(gelu_of<kTanh>((float)some[e]));
        W result;
        memcpy(&result, some, kBytes);
        *reinterpret_cast<W*>(y + i) = result;
    } else {
        for (std::int64_t j = i; j < n; ++j) y[j] = T(gelu_of<kTanh>((float)x[j]));
    }
}
template <int kBytes, int kLeast, typename F> auto widest(std::uintptr_t bits, F&& f) {
    if constexpr (kBytes > kLeast) {
        if (bits % kBytes) return widest<kBytes / 2, kLeast>(bits, static_cast<F&&>(f));
    }
    return f(std::integral_constant<int, kBytes>{});
}
template <typename F> auto either(bool which, F&& f) { return which ? f(std::true_type{}) : f(std::false_type{}); }

template <typename T> cudaError_t launch(const T* x, T* y, std::int64_t n, std::int64_t approximate, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    const auto bits = reinterpret_cast<std::uintptr_t>(x) | reinterpret_cast<std::uintptr_t>(y);
    return either(approximate != 0, [&](auto by_tanh) {
        return widest<16, (int)sizeof(T)>(bits, [&](auto bytes) {
            constexpr int kBytes = decltype(bytes)::value;
            const std::int64_t threads = (n * (std::int64_t)sizeof(T) + kBytes - 1) / kBytes;
            gelu_kernel<T, kBytes, decltype(by_tanh)::value><<<(unsigned)((threads + 127) / 128), 128, 0, stream>>>(x, y, n);
            return cudaGetLastError();
        });
    });
}
extern "C" cudaError_t gelu(const float* x, float* y, std::int64_t n, std::int64_t approximate, cudaStream_t s) { return launch(x, y, n, approximate, s); }
extern "C" cudaError_t gelu_f16(const __half* x, __half* y, std::int64_t n, std::int64_t approximate, cudaStream_t s) { return launch(x, y, n, approximate, s); }
extern "C" cudaError_t gelu_bf16(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t n, std::int64_t approximate, cudaStream_t s) { return launch(x, y, n, approximate, s); }
