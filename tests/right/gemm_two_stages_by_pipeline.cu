// exercise: gemm_tiled
// unusual: tiles by __pipeline_memcpy_async with zero fill, two stages, 4 x 2 results a thread, padded rows
#include <cuda_runtime.h>
#include <stdint.h>
#include <math.h>

#include <cuda_pipeline.h>
constexpr int TM = 32, TN = 32, TK = 8, RM = 4, RN = 2;
template <bool TB> __global__ void product(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, float alpha, float beta) {
    __shared__ float as[2][TM][TK + 1], bs[2][TK][TN + 1];
    const int t = threadIdx.x;   // 128
    const int64_t row0 = (int64_t)(blockIdx.x / ((n + TN - 1) / TN)) * TM, col0 = (int64_t)(blockIdx.x % ((n + TN - 1) / TN)) * TN;
    float s[RM][RN] = {};
    auto load = [&](int stage, int64_t p0) {
        for (int e = t; e < TM * TK; e += 128) {
            const int i = e / TK, p = e % TK;
            const bool in = row0 + i < m && p0 + p < k;
            __pipeline_memcpy_async(&as[stage][i][p], in ? a + (row0 + i) * lda + p0 + p : a, 4, in ? 0 : 4);
        }
        for (int e = t; e < TK * TN; e += 128) {
            const int p = TB ? e % TK : e / TN, j = TB ? e / TK : e % TN;
            const bool in = col0 + j < n && p0 + p < k;
            __pipeline_memcpy_async(&bs[stage][p][j], in ? (TB ? b + (col0 + j) * ldb + p0 + p : b + (p0 + p) * ldb + col0 + j) : a, 4, in ? 0 : 4);
        }
        __pipeline_commit();
    };
    int stage = 0;
    if (k > 0) load(0, 0);
    for (int64_t p0 = 0; p0 < k; p0 += TK, stage ^= 1) {
        if (p0 + TK < k) load(stage ^ 1, p0 + TK); else __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        for (int p = 0; p < TK; ++p)
            for (int i = 0; i < RM; ++i)
                for (int j = 0; j < RN; ++j) s[i][j] += as[stage][t / 16 * RM + i][p] * bs[stage][p][t % 16 + j * 16];
        __syncthreads();
    }
    for (int i = 0; i < RM; ++i)
        for (int j = 0; j < RN; ++j) {
            const int64_t row = row0 + t / 16 * RM + i, col = col0 + t % 16 + j * 16;
            if (row < m && col < n) c[row * ldc + col] = beta == 0.0f ? alpha * s[i][j] : alpha * s[i][j] + beta * c[row * ldc + col];
        }
}
extern "C" cudaError_t gemm_tiled(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const int64_t tiles = ((m + TM - 1) / TM) * ((n + TN - 1) / TN);
    if (tiles > 2147483647) return cudaErrorInvalidConfiguration;
    const auto kernel = transpose_b ? product<true> : product<false>;
    kernel<<<(unsigned)tiles, 128, 0, stream>>>(a, b, c, m, n, k, lda, ldb, ldc, alpha, beta);
    return cudaGetLastError();
}
