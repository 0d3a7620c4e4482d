// exercise: gemm_tiled
// unusual: one thread per element, the sum in double, backwards along k, fmaf for the ending
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t down,
                       int64_t aside, int64_t ldc, float alpha, float beta) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m * n) return;
    const int64_t row = i / n, col = i % n;
    double sum = 0.0;
    for (int64_t p = k - 1; p >= 0; --p) sum += (double)a[row * lda + p] * b[p * down + col * aside];
    float* out = c + row * ldc + col;
    if (beta == 0.0f) *out = (float)(alpha * sum);
    else *out = fmaf(beta, *out, (float)(alpha * sum));
}

extern "C" cudaError_t gemm_tiled(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda,
                                  int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta,
                                  cudaStream_t stream) {
    if (m * n == 0) return cudaSuccess;
    kernel<<<(unsigned)((m * n + 191) / 192), 192, 0, stream>>>(a, b, c, m, n, k, lda, transpose_b ? 1 : ldb,
                                                               transpose_b ? ldb : 1, ldc, alpha, beta);
    return cudaGetLastError();
}
