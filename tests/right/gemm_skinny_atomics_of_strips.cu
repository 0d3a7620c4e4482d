// exercise: gemm_skinny
// unusual: strips of k by blocks along y add into fp32 scratch by red.global.add in PTX; a second launch rounds; float's C alone is added to in place
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <type_traits>

constexpr int kThreads = 64, kStrip = 256;
__device__ void add(float* to, float v) { asm volatile("red.global.add.f32 [%0], %1;" ::"l"(to), "f"(v) : "memory"); }

template <typename T> __global__ void begin(float* sums, int64_t stride, const T* c, int64_t m, int64_t n, int64_t ldc, float beta) {
    const int64_t e = (int64_t)blockIdx.x * kThreads + threadIdx.x;
    if (e >= m * n) return;
    const int64_t i = e / n, j = e % n;
    float start = 0.0f;
    if (beta != 0.0f) start = beta * (float)c[i * ldc + j];
    sums[i * stride + j] = start;
}
template <typename T> __global__ void strips(const T* a, const T* b, float* sums, int64_t stride, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t down, int64_t aside, float alpha) {
    const int64_t count = (k + kStrip - 1) / kStrip, tiles = (m * n + kThreads - 1) / kThreads;
    const int64_t tile = blockIdx.x % tiles, strip = blockIdx.x / tiles;
    const int64_t e = tile * kThreads + threadIdx.x;
    if (e >= m * n || strip >= count) return;
    const int64_t i = e / n, j = e % n, to = (strip + 1) * kStrip < k ? (strip + 1) * kStrip : k;
    float s = 0.0f;
    for (int64_t p = strip * kStrip; p < to; ++p) s = fmaf((float)a[i * lda + p], (float)b[p * down + j * aside], s);
    add(&sums[i * stride + j], alpha * s);
}
template <typename T> __global__ void rounded(const float* sums, T* c, int64_t m, int64_t n, int64_t ldc) {
    const int64_t e = (int64_t)blockIdx.x * kThreads + threadIdx.x;
    if (e < m * n) c[e / n * ldc + e % n] = T(sums[e]);
}
template <typename T> cudaError_t launch(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t turned, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    constexpr bool kInPlace = std::is_same_v<T, float>;
    float* sums = nullptr;
    int64_t stride = n;
    cudaError_t e = cudaSuccess;
    if constexpr (kInPlace) {
        sums = c;
        stride = ldc;
    } else {
        e = cudaMallocAsync((void**)&sums, m * n * sizeof(float), stream);
        if (e != cudaSuccess) return e;
    }
    const unsigned tiles = (unsigned)((m * n + kThreads - 1) / kThreads);
    begin<<<tiles, kThreads, 0, stream>>>(sums, stride, c, m, n, ldc, beta);
    e = cudaGetLastError();
    if (e == cudaSuccess && k > 0) {
        strips<<<tiles * (unsigned)((k + kStrip - 1) / kStrip), kThreads, 0, stream>>>(a, b, sums, stride, m, n, k, lda, turned ? 1 : ldb, turned ? ldb : 1, alpha);
        e = cudaGetLastError();
    }
    if constexpr (!kInPlace) {
        if (e == cudaSuccess) {
            rounded<<<tiles, kThreads, 0, stream>>>(sums, c, m, n, ldc);
            e = cudaGetLastError();
        }
        const cudaError_t freed = cudaFreeAsync(sums, stream);
        if (e == cudaSuccess) e = freed;
    }
    return e;
}
extern "C" cudaError_t gemm_skinny(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t t, float al, float be, cudaStream_t s) { return launch(a, b, c, m, n, k, lda, ldb, ldc, t, al, be, s); }
extern "C" cudaError_t gemm_skinny_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t t, float al, float be, cudaStream_t s) { return launch(a, b, c, m, n, k, lda, ldb, ldc, t, al, be, s); }
