// exercise: gemm_naive
// bug: the first part of k stores and the others add, in any order
// group: shapes
// caught: race-global
#include <cuda_runtime.h>
#include <stdint.h>

// The first part of k stores, the others add.
__global__ void split(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t down, int64_t aside,
                      int64_t ldc, float alpha, float beta) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m * n) return;
    int64_t row = i / n, col = i % n;
    float sum = 0.0f;
    for (int64_t p = blockIdx.y; p < k; p += gridDim.y) sum += a[row * lda + p] * b[p * down + col * aside];
    float* out = &c[row * ldc + col];
    if (blockIdx.y == 0) *out = beta == 0.0f ? alpha * sum : alpha * sum + beta * *out;
    else atomicAdd(out, alpha * sum);
}
extern "C" cudaError_t gemm_naive(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc,
                                 int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m == 0 || n == 0) return cudaSuccess;
    unsigned blocks = (unsigned)((m * n + 255) / 256);
    split<<<dim3(blocks, 4), 256, 0, stream>>>(a, b, c, m, n, k, lda, transpose_b ? 1 : ldb, transpose_b ? ldb : 1, ldc, alpha, beta);
    return cudaGetLastError();
}
