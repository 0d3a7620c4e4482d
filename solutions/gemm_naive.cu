// GEMM, one thread per element of C: C = alpha * A op(B) + beta * C, op(B) = B or B^T.
//
// Check: onekernel check gemm_naive
// Bench: none: the rungs of the ladder are what is measured
//
// All matrices are row-major: element (i, j) of C is c[i * ldc + j]. With transpose_b, B is stored as n rows of k
// elements, and element (p, j) of op(B) is b[j * ldb + p].
// <gap>
//| //
//| // Before your first run, compute what this kernel asks of memory, and compare:
//| //   onekernel predict gemm_naive
// </gap>
//
// But: every element of A is read by n threads and every element of B by m, all from global memory; a product that
// needs two loads is bound by loads, and not by arithmetic.

#include <cuda_runtime.h>
#include <stdint.h>

// <gap>
//| // One thread computes one element of C.
//| __global__ void gemm_naive_kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k,
//|                                   int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha,
//|                                   float beta) {
//|     // TODO: row and column of this thread's element. Neighbouring threads should have neighbouring columns. Does
//|     // every thread have an element?
//|     // TODO: the sum over p of A(row, p) * op(B)(p, column), in a register.
//|     // TODO: alpha and beta, one store. C is not read where beta is 0: nobody has written it yet.
//| }
constexpr int kColumns = 32;  // of a block: a warp is 32 neighbours of a row of C
constexpr int kRows = 8;
constexpr int64_t kMostBlocksY = 65535;

// One thread computes one element of C; a block that has no room below it in the grid goes on further down.
__global__ void gemm_naive_kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k,
                                  int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha,
                                  float beta) {
    const int64_t column = (int64_t)blockIdx.x * kColumns + threadIdx.x;
    if (column >= n) return;
    const int64_t down = transpose_b ? 1 : ldb;    // from an element of op(B) to the one below it
    const int64_t aside = transpose_b ? ldb : 1;   // and to the one beside it
    for (int64_t row = (int64_t)blockIdx.y * kRows + threadIdx.y; row < m; row += (int64_t)gridDim.y * kRows) {
        float sum = 0.0f;
        for (int64_t p = 0; p < k; ++p) sum += a[row * lda + p] * b[p * down + column * aside];
        float* out = &c[row * ldc + column];
        *out = beta == 0.0f ? alpha * sum : alpha * sum + beta * *out;
    }
}
// </gap>

extern "C" cudaError_t gemm_naive(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k,
                                  int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta,
                                  cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    // <gap>
    //| // TODO: how many threads per block, how many blocks? Then launch the kernel on `stream`.
    //| (void)a; (void)b; (void)c; (void)k; (void)lda; (void)ldb; (void)ldc; (void)transpose_b; (void)alpha; (void)beta;
    //| (void)stream;
    const int64_t rows = (m + kRows - 1) / kRows;
    const dim3 threads(kColumns, kRows);
    const dim3 blocks((unsigned)((n + kColumns - 1) / kColumns), (unsigned)(rows < kMostBlocksY ? rows : kMostBlocksY));
    gemm_naive_kernel<<<blocks, threads, 0, stream>>>(a, b, c, m, n, k, lda, ldb, ldc, transpose_b, alpha, beta);
    // </gap>
    return cudaGetLastError();
}
