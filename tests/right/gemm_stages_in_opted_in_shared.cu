// exercise: gemm_tiled
// unusual: three stages of cp.async.ca, 4 bytes each with zero fill, in more than 48 KB of dynamic shared memory that is opted in to; tiles from a table by shape
#include <cuda_runtime.h>
#include <stdint.h>

template <int M, int N, int K> struct Tile { static constexpr int kM = M, kN = N, kK = K, kStages = 3, kPad = 4, kBytes = kStages * K * (M + N + 2 * kPad) * (int)sizeof(float); };
__device__ __forceinline__ void copy4(float* to, const float* from, bool there) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "r"(there ? 4 : 0) : "memory");
}
struct Args { const float *a, *b; float* c; int64_t m, n, k, lda, down, aside, ldc; float alpha, beta; };

template <typename S> __global__ void __launch_bounds__(256) product(Args g) {
    extern __shared__ float room[];
    constexpr int kLeft = S::kM + S::kPad, kRight = S::kN + S::kPad, kStage = S::kK * (kLeft + kRight), kRows = S::kM / 16, kCols = S::kN / 16;
    const int64_t across = (g.n + S::kN - 1) / S::kN, row0 = blockIdx.x / across * S::kM, col0 = blockIdx.x % across * S::kN;
    const int t = threadIdx.x, ti = t / 16, tj = t % 16;
    const auto ask = [&](int64_t p0, int stage) {
        if (p0 < g.k) {
            float* left = room + stage * kStage;
            float* right = left + S::kK * kLeft;
            for (int e = t; e < S::kM * S::kK; e += 256) {
                const int i = e / S::kK, p = e % S::kK;
                const bool there = row0 + i < g.m && p0 + p < g.k;
                copy4(left + p * kLeft + i, there ? g.a + (row0 + i) * g.lda + p0 + p : g.a, there);
            }
            for (int e = t; e < S::kN * S::kK; e += 256) {
                const int j = g.aside == 1 ? e % S::kN : e / S::kK, p = g.aside == 1 ? e / S::kN : e % S::kK;
                const bool there = col0 + j < g.n && p0 + p < g.k;
                copy4(right + p * kRight + j, there ? g.b + (p0 + p) * g.down + (col0 + j) * g.aside : g.b, there);
            }
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    float sums[kRows][kCols] = {};
    ask(0, 0);
    ask(S::kK, 1);
    int stage = 0;
    for (int64_t p0 = 0; p0 < g.k; p0 += S::kK) {
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();   // also: nobody reads the stage that is filled next
        ask(p0 + 2 * S::kK, (stage + 2) % 3);
        const float* left = room + stage * kStage;
        const float* right = left + S::kK * kLeft;
#pragma unroll 4
        for (int p = 0; p < S::kK; ++p)
#pragma unroll
            for (int i = 0; i < kRows; ++i)
#pragma unroll
                for (int j = 0; j < kCols; ++j) sums[i][j] = fmaf(left[p * kLeft + ti + 16 * i], right[p * kRight + tj + 16 * j], sums[i][j]);
        stage = (stage + 1) % 3;
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
#pragma unroll
    for (int i = 0; i < kRows; ++i)
#pragma unroll
        for (int j = 0; j < kCols; ++j) {
            const int64_t r = row0 + ti + 16 * i, q = col0 + tj + 16 * j;
            if (r < g.m && q < g.n) {
                float& out = g.c[r * g.ldc + q];
                out = g.beta == 0.0f ? g.alpha * sums[i][j] : g.alpha * sums[i][j] + g.beta * out;
            }
        }
}
template <typename S> cudaError_t launch(const Args& g, cudaStream_t stream) {
    const int64_t tiles = (g.m + S::kM - 1) / S::kM * ((g.n + S::kN - 1) / S::kN);
    const cudaError_t e = cudaFuncSetAttribute(product<S>, cudaFuncAttributeMaxDynamicSharedMemorySize, S::kBytes);
    if (e != cudaSuccess) return e;
    product<S><<<(unsigned)tiles, 256, S::kBytes, stream>>>(g);
    return cudaGetLastError();
}
extern "C" cudaError_t gemm_tiled(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    using Launch = cudaError_t (*)(const Args&, cudaStream_t);
    static constexpr Launch kTable[2][2] = {{launch<Tile<16, 16, 32>>, launch<Tile<16, 64, 32>>}, {launch<Tile<64, 16, 32>>, launch<Tile<64, 64, 48>>}};
    return kTable[m > 32][n > 32](Args{a, b, c, m, n, k, lda, transpose_b ? 1 : ldb, transpose_b ? ldb : 1, ldc, alpha, beta}, stream);
}
