// exercise: gelu
// unusual: a ring of three stages filled by cp.async in PTX, whose source size of 0 to 16 bytes fills up with zeros; each thread waits for its own copies alone
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kThreads = 128, kStages = 3;
__device__ float gelu_of(float x, bool by_tanh) {
    if (by_tanh) return 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
    return 0.5f * x * (1.0f + erff(x * 0.70710678f));
}
template <typename T> __device__ T narrow(float v) { return T(v); }
template <typename T> __global__ void pieces(const T* x, T* y, int64_t n, bool by_tanh) {
    constexpr int kEach = 16 / sizeof(T);
    __shared__ __align__(16) T ring[kStages][kThreads][kEach];
    const int64_t count = (n + kEach - 1) / kEach, step = (int64_t)gridDim.x * kThreads;
    const int64_t first = (int64_t)blockIdx.x * kThreads + threadIdx.x;
    const auto ask = [&](int64_t p, int stage) {
        if (p < count) {
            const unsigned to = (unsigned)__cvta_generic_to_shared(ring[stage][threadIdx.x]);
            const int64_t left = (n - p * kEach) * (int64_t)sizeof(T);
            const int bytes = left < 16 ? (int)left : 16;
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(x + p * kEach), "r"(bytes) : "memory");
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    ask(first, 0);
    ask(first + step, 1);
    int stage = 0;
    for (int64_t p = first; p < count; p += step) {
        ask(p + 2 * step, (stage + 2) % kStages);
        asm volatile("cp.async.wait_group 2;" ::: "memory");
        for (int e = 0; e < kEach; ++e) {
            const int64_t i = p * kEach + e;
            if (i < n) y[i] = narrow<T>(gelu_of((float)ring[stage][threadIdx.x][e], by_tanh));
        }
        stage = (stage + 1) % kStages;
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
}
template <typename T> __global__ void singles(const T* x, T* y, int64_t n, bool by_tanh) {
    const int64_t i = (int64_t)blockIdx.x * kThreads + threadIdx.x;
    if (i < n) y[i] = narrow<T>(gelu_of((float)x[i], by_tanh));
}
template <typename T> cudaError_t launch(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    if ((uintptr_t)x % 16 == 0) {
        const int64_t blocks = (n + 16 * kThreads - 1) / (16 * kThreads);
        pieces<<<(unsigned)(blocks < 1056 ? blocks : 1056), kThreads, 0, stream>>>(x, y, n, approximate != 0);
    } else {
        singles<<<(unsigned)((n + kThreads - 1) / kThreads), kThreads, 0, stream>>>(x, y, n, approximate != 0);
    }
    return cudaGetLastError();
}
extern "C" cudaError_t gelu(const float* x, float* y, int64_t n, int64_t approximate, cudaStream_t s) { return launch(x, y, n, approximate, s); }
extern "C" cudaError_t gelu_f16(const __half* x, __half* y, int64_t n, int64_t approximate, cudaStream_t s) { return launch(x, y, n, approximate, s); }
extern "C" cudaError_t gelu_bf16(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t n, int64_t approximate, cudaStream_t s) { return launch(x, y, n, approximate, s); }
