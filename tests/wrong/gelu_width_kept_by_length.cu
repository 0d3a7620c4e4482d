// exercise: gelu
// bug: whether pieces of 16 bytes may be taken is kept by the length
// group: exact, unaligned
// caught: left-over, misaligned-access
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <map>
#include <math.h>
#include <stdint.h>

__device__ float gelu_of(float x, bool tanh) {
    if (!tanh) return 0.5f * x * (1.0f + erff(x * 0.70710678118654752f));
    return 0.5f * x * (1.0f + tanhf(0.79788456080286536f * (x + 0.044715f * x * x * x)));
}

template <typename T> struct alignas(16) Piece {
    T at[16 / sizeof(T)];
};

template <typename T> __global__ void elements(const T* x, T* y, int64_t n, bool tanh, bool wide) {
    constexpr int kCount = 16 / sizeof(T);
    const int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, step = (int64_t)gridDim.x * blockDim.x;
    const int64_t pieces = wide ? n / kCount : 0;
    for (int64_t v = first; v < pieces; v += step) {
        Piece<T> p = ((const Piece<T>*)x)[v];
        for (int k = 0; k < kCount; k++) p.at[k] = (T)gelu_of((float)p.at[k], tanh);
        ((Piece<T>*)y)[v] = p;
    }
    for (int64_t i = pieces * kCount + first; i < n; i += step) y[i] = (T)gelu_of((float)x[i], tanh);
}

template <typename T> cudaError_t run(const T* x, T* y, int64_t n, int64_t tanh, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    static std::map<int64_t, bool> known;
    const bool wide = known.emplace(n, (uintptr_t)x % 16 == 0 && (uintptr_t)y % 16 == 0).first->second;
    const int64_t blocks = (n + 255) / 256;
    elements<<<(unsigned)(blocks < 1 << 30 ? blocks : 1 << 30), 256, 0, stream>>>(x, y, n, tanh != 0, wide);
    return cudaGetLastError();
}

extern "C" cudaError_t gelu(const float* x, float* y, int64_t n, int64_t a, cudaStream_t s) { return run(x, y, n, a, s); }
extern "C" cudaError_t gelu_f16(const __half* x, __half* y, int64_t n, int64_t a, cudaStream_t s) { return run(x, y, n, a, s); }
extern "C" cudaError_t gelu_bf16(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t n, int64_t a, cudaStream_t s) { return run(x, y, n, a, s); }
