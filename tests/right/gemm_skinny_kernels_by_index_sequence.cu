// exercise: gemm_skinny
// unusual: a table of kernels for 1 to 16 columns, made by an index_sequence; a warp a row, lanes along k, all columns in registers, one butterfly for each of them
#include <array>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <utility>

template <typename T> struct Job { const T *a, *b; T* c; int64_t m, n, k, a0, a1, b0, b1, c0, c1; float alpha, beta; };   // element (i, j) at i * x0 + j * x1

template <typename T, int kCols> __global__ void __launch_bounds__(128) rows(Job<T> g, int64_t col0) {
    const int lane = threadIdx.x % 32;
    const int64_t i = (int64_t)blockIdx.x * 4 + threadIdx.x / 32;
    if (i >= g.m) return;
    float sums[kCols] = {};
    for (int64_t p = lane; p < g.k; p += 32) {
        const float a = (float)g.a[i * g.a0 + p * g.a1];
#pragma unroll
        for (int j = 0; j < kCols; ++j) sums[j] = fmaf(a, (float)g.b[p * g.b0 + (col0 + j) * g.b1], sums[j]);
    }
#pragma unroll
    for (int j = 0; j < kCols; ++j) {
#pragma unroll
        for (int o = 16; o; o >>= 1) sums[j] += __shfl_xor_sync(0xffffffffu, sums[j], o);
        if (lane == j) {
            T* const out = g.c + i * g.c0 + (col0 + j) * g.c1;
            *out = T(g.beta == 0.0f ? g.alpha * sums[j] : g.alpha * sums[j] + g.beta * (float)*out);
        }
    }
}
constexpr int kMost = 16;
template <typename T> using Kernel = void (*)(Job<T>, int64_t);
template <typename T, std::size_t... I> constexpr std::array<Kernel<T>, kMost> table_of(std::index_sequence<I...>) { return {{&rows<T, (int)I + 1>...}}; }

template <typename T> cudaError_t launch(Job<T> g, cudaStream_t stream) {
    if (g.m <= 0 || g.n <= 0) return cudaSuccess;
    if (g.m < g.n) g = Job<T>{g.b, g.a, g.c, g.n, g.m, g.k, g.b1, g.b0, g.a1, g.a0, g.c1, g.c0, g.alpha, g.beta};
    static constexpr auto kTable = table_of<T>(std::make_index_sequence<kMost>{});
    for (int64_t col = 0; col < g.n; col += kMost) {
        const int64_t some = g.n - col < kMost ? g.n - col : kMost;
        kTable[some - 1]<<<(unsigned)((g.m + 3) / 4), 128, 0, stream>>>(g, col);
        if (const cudaError_t e = cudaGetLastError(); e != cudaSuccess) return e;
    }
    return cudaSuccess;
}
#define LAUNCHER(name, T)                                                                                                                                                                        \
    extern "C" cudaError_t name(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t t, float alpha, float beta, cudaStream_t stream) { \
        return launch<T>({a, b, c, m, n, k, lda, 1, t ? 1 : ldb, t ? ldb : 1, ldc, 1, alpha, beta}, stream);                                                                                     \
    }
LAUNCHER(gemm_skinny, float)
LAUNCHER(gemm_skinny_bf16, __nv_bfloat16)
