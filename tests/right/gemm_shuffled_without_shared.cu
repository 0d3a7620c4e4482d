// exercise: gemm_tiled
// unusual: tiles in registers of a warp alone: each lane keeps a column of B's tile and a row of A's, whose elements __shfl_sync hands round; no shared memory
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kRows = 8, kWarps = 4;   // a warp makes 8 x 32 elements of C

template <bool kTurned> __global__ void __launch_bounds__(32 * kWarps) product(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, float alpha, float beta) {
    const int lane = threadIdx.x & 31;
    const int64_t across = (n + 31) / 32, number = (int64_t)blockIdx.x * kWarps + threadIdx.x / 32;
    const int64_t row0 = number / across * kRows, col = number % across * 32 + lane;
    if (row0 >= m) return;
    float sums[kRows] = {};
    for (int64_t p0 = 0; p0 < k; p0 += 32) {
        const int64_t p = p0 + lane;
        float of_a[kRows];
#pragma unroll
        for (int r = 0; r < kRows; ++r) of_a[r] = row0 + r < m && p < k ? a[(row0 + r) * lda + p] : 0.0f;
        const int deep = k - p0 < 32 ? (int)(k - p0) : 32;
        for (int q = 0; q < deep; ++q) {
            float of_b = 0.0f;
            if (col < n) of_b = kTurned ? b[col * ldb + p0 + q] : b[(p0 + q) * ldb + col];
#pragma unroll
            for (int r = 0; r < kRows; ++r) sums[r] = fmaf(__shfl_sync(0xffffffffu, of_a[r], q), of_b, sums[r]);
        }
    }
    if (col >= n) return;
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
        if (row0 + r >= m) break;
        float* out = c + (row0 + r) * ldc + col;
        *out = beta != 0.0f ? alpha * sums[r] + beta * *out : alpha * sums[r];
    }
}
extern "C" cudaError_t gemm_tiled(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const int64_t tiles = (m + kRows - 1) / kRows * ((n + 31) / 32);
    const unsigned blocks = (unsigned)((tiles + kWarps - 1) / kWarps);
    if (transpose_b) product<true><<<blocks, 32 * kWarps, 0, stream>>>(a, b, c, m, n, k, lda, ldb, ldc, alpha, beta);
    else product<false><<<blocks, 32 * kWarps, 0, stream>>>(a, b, c, m, n, k, lda, ldb, ldc, alpha, beta);
    return cudaGetLastError();
}
