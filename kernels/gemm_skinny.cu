// gemm_skinny: C = alpha A B + beta C, or A B^T, where one of m, n and k is so small that memory decides; fp32, and bf16 with fp32 sums.
//
// Check: onekernel check gemm_skinny
// Bench: python bench/gemm.py
//
// TODO: which matrix is large, how often do you read it, and how wide?

#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

using bf16 = __nv_bfloat16;

struct Problem {   // C (m x n) = alpha A (m x k) B + beta C; the row strides in elements
    int64_t m, n, k, lda, ldb, ldc;
    bool transpose_b;
    float alpha, beta;
};

extern "C" cudaError_t gemm_skinny(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc,
                                   int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const Problem p = {m, n, k, lda, ldb, ldc, transpose_b != 0, alpha, beta};
    // TODO: few columns, few rows, or a short k: what is large is read (or written) once. fp32 means fp32.
    (void)a; (void)b; (void)c; (void)p; (void)stream;
    return cudaGetLastError();
}

extern "C" cudaError_t gemm_skinny_bf16(const bf16* a, const bf16* b, bf16* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc,
                                        int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const Problem p = {m, n, k, lda, ldb, ldc, transpose_b != 0, alpha, beta};
    // TODO: the same in bf16, with sums in float.
    (void)a; (void)b; (void)c; (void)p; (void)stream;
    return cudaGetLastError();
}
