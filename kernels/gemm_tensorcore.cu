// gemm_tensorcore: C = alpha A B + beta C, or A B^T, in fp16 and bf16 on Tensor Cores; every sum is in fp32.
//
// Check: onekernel check gemm_tensorcore
// Bench: python bench/gemm.py
//
// TODO: what your kernel loads, how wide, and which unit multiplies: mma.sync with ldmatrix, or nvcuda::wmma of <mma.h>.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

struct Problem {   // C (m x n) = alpha A (m x k) B + beta C; the row strides in elements
    int64_t m, n, k, lda, ldb, ldc;
    float alpha, beta;
};

template <typename T>
static cudaError_t gemm(const T* a, const T* b, T* c, const Problem& p, bool transpose_b, cudaStream_t stream) {
    if (p.m <= 0 || p.n <= 0) return cudaSuccess;
    // TODO: a kernel, and its launch. Ragged sides, any row stride, bases that are not multiples of 16 bytes; sums in float.
    (void)a; (void)b; (void)c; (void)transpose_b; (void)stream;
    return cudaGetLastError();
}

extern "C" cudaError_t gemm_tensorcore_f16(const __half* a, const __half* b, __half* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb,
                                           int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    return gemm(a, b, c, {m, n, k, lda, ldb, ldc, alpha, beta}, transpose_b != 0, stream);
}

extern "C" cudaError_t gemm_tensorcore_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int64_t m, int64_t n, int64_t k,
                                            int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    return gemm(a, b, c, {m, n, k, lda, ldb, ldc, alpha, beta}, transpose_b != 0, stream);
}
