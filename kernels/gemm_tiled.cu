// GEMM by tiles: C = alpha * A op(B) + beta * C; a block computes a tile of C.
//
// Check: onekernel check gemm_tiled
// Bench: python bench/gemm.py
//
// Idea:  what is read once serves a tile. A block keeps a strip of A and one of op(B) in shared memory, and a thread a few
//        numbers of each in registers: each of them serves as many products as the tile has rows or columns.
// TODO: the ledger. How many bytes per FMA does your kernel read from global memory, and from shared memory?
//
// But: a C with fewer tiles than the card has multiprocessors leaves some idle.

#include <cuda_runtime.h>
#include <stdint.h>

// C (m x n) = alpha * A op(B) + beta * C, row strides in elements; `turned`: B is stored as n rows of k.
struct Problem {
    int64_t m, n, k, lda, ldb, ldc;
    bool turned;
    float alpha, beta;
};

__global__ void gemm_tiled_kernel(const float* a, const float* b, float* c, Problem p) {
    // TODO: a tile of A and one of op(B) in shared memory. For each step along k: load (zeros outside), barrier,
    // multiply, barrier. Threads without an element of C load and wait like all others.
    // TODO: then several elements of C for each thread, in registers; then 16-byte reads.
}

extern "C" cudaError_t gemm_tiled(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k,
                                  int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta,
                                  cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const Problem p = {m, n, k, lda, ldb, ldc, transpose_b != 0, alpha, beta};
    // TODO: a block per tile of C, 16 x 16 threads for a start. A grid has at most 65,535 blocks in y.
    (void)a; (void)b; (void)c; (void)p; (void)stream;
    return cudaGetLastError();
}
