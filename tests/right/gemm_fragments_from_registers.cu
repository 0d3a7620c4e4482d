// exercise: gemm_tensorcore
// unusual: mma.m16n8k8 with fragments that each lane loads from global memory by itself, element by element or as pairs; no shared memory, a warp a tile of 32 x 32
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <string.h>

template <typename T> __device__ void mma(float (&d)[4], uint32_t a0, uint32_t a1, uint32_t b);
template <> __device__ __forceinline__ void mma<__half>(float (&d)[4], uint32_t a0, uint32_t a1, uint32_t b) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a0), "r"(a1), "r"(b));
}
template <> __device__ __forceinline__ void mma<__nv_bfloat16>(float (&d)[4], uint32_t a0, uint32_t a1, uint32_t b) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a0), "r"(a1), "r"(b));
}
template <typename T> __device__ uint32_t bits(T low, T high) {
    uint16_t l, h;
    memcpy(&l, &low, 2);
    memcpy(&h, &high, 2);
    return (uint32_t)h << 16 | l;
}
// Two neighbours of a row, from column p on; zeros where there are none.
template <typename T> __device__ uint32_t pair(const T* row, bool there, int64_t p, int64_t k) {
    const T zero = T(0.0f);
    if (!there || p >= k) return 0u;
    return bits(row[p], p + 1 < k ? row[p + 1] : zero);
}
template <typename T> struct Gemm { const T *a, *b; T* c; int64_t m, n, k, lda, ldb, ldc; bool turned; float alpha, beta; };
template <typename T> __global__ void __launch_bounds__(64) product(Gemm<T> g) {
    const int lane = threadIdx.x % 32, q = lane / 4, r = lane % 4 * 2;
    const int64_t across = (g.n + 31) / 32, number = (int64_t)blockIdx.x * 2 + threadIdx.x / 32;
    const int64_t row0 = number / across * 32, col0 = number % across * 32;
    if (row0 >= g.m) return;   // the whole warp
    float d[2][4][4] = {};
    for (int64_t p = 0; p < g.k; p += 8) {
        uint32_t fa[2][2], fb[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int64_t row = row0 + i / 2 * 16 + i % 2 * 8 + q;
            fa[i / 2][i % 2] = pair(g.a + row * g.lda, row < g.m, p + r, g.k);
        }
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int64_t col = col0 + j * 8 + q;
            if (g.turned) {
                fb[j] = pair(g.b + col * g.ldb, col < g.n, p + r, g.k);
            } else {
                const T zero = T(0.0f);
                const T low = col < g.n && p + r < g.k ? g.b[(p + r) * g.ldb + col] : zero;
                const T high = col < g.n && p + r + 1 < g.k ? g.b[(p + r + 1) * g.ldb + col] : zero;
                fb[j] = bits(low, high);
            }
        }
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
            for (int j = 0; j < 4; ++j) mma<T>(d[i][j], fa[i][0], fa[i][1], fb[j]);
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int64_t row = row0 + i * 16 + e / 2 * 8 + q, col = col0 + j * 8 + r + e % 2;
                if (row >= g.m || col >= g.n) continue;
                T& out = g.c[row * g.ldc + col];
                float v = g.alpha * d[i][j][e];
                if (g.beta != 0.0f) v += g.beta * (float)out;
                out = T(v);
            }
}
template <typename T> cudaError_t launch(Gemm<T> g, cudaStream_t stream) {
    if (g.m <= 0 || g.n <= 0) return cudaSuccess;
    const int64_t tiles = (g.m + 31) / 32 * ((g.n + 31) / 32);
    product<<<(unsigned)((tiles + 1) / 2), 64, 0, stream>>>(g);
    return cudaGetLastError();
}
#define LAUNCHER(name, T) extern "C" cudaError_t name(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t turned, float alpha, float beta, cudaStream_t s) { return launch<T>({a, b, c, m, n, k, lda, ldb, ldc, turned != 0, alpha, beta}, s); }
LAUNCHER(gemm_tensorcore_f16, __half)
LAUNCHER(gemm_tensorcore_bf16, __nv_bfloat16)
