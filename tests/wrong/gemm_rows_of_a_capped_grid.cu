// exercise: gemm_naive
// bug: the grid has 65,535 blocks of 16 rows at most, and no block goes on to further rows
// group: large
// caught: covers-too-little, leaves-out
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kSide = 16;

__global__ void gemm(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda,
                     int64_t ldb, int64_t ldc, int64_t turned, float alpha, float beta) {
    int64_t row = (int64_t)blockIdx.y * kSide + threadIdx.y;
    int64_t col = (int64_t)blockIdx.x * kSide + threadIdx.x;
    if (row >= m || col >= n) return;
    float sum = 0.0f;
    for (int64_t p = 0; p < k; ++p) sum += a[row * lda + p] * (turned ? b[col * ldb + p] : b[p * ldb + col]);
    float* out = c + row * ldc + col;
    *out = beta == 0.0f ? alpha * sum : alpha * sum + beta * *out;
}

extern "C" cudaError_t gemm_naive(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k,
                                  int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta,
                                  cudaStream_t stream) {
    if (m == 0 || n == 0) return cudaSuccess;
    int64_t down = (m + kSide - 1) / kSide;
    if (down > 65535) down = 65535;
    dim3 blocks((unsigned)((n + kSide - 1) / kSide), (unsigned)down), threads(kSide, kSide);
    gemm<<<blocks, threads, 0, stream>>>(a, b, c, m, n, k, lda, ldb, ldc, transpose_b, alpha, beta);
    return cudaGetLastError();
}
