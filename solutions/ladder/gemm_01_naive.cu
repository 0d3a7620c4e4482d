// gemm_01_naive: C = alpha A B + beta C, or A B^T, one thread for each element of C.
//
// Check: python -m pytest tests/grading/test_gemm_ladder.py -k gemm_01_naive
// Bench: python bench/gemm.py
//
// The new idea: nothing yet. An element of C is the sum of k products of a row of A with a column of B, and no element of C needs another
// one, so that each has a thread of its own. Neighbouring threads take neighbouring rows, as one would number them.
//
// Ledger: loads 8 bytes per FMA from global memory
//
// But: the 32 threads of a warp, 16 rows by 2 columns, read 16 rows of A: 16 sectors, where threads of one row need 1. And each
// element of A and B is read again for every output.

#include <cuda_runtime.h>
#include <stdint.h>

struct Problem {   // C (m x n) = alpha A (m x k) B + beta C; the strides in elements
    int64_t m, n, k, lda;
    int64_t down_b, across_b;   // from B's element (p, j) to (p + 1, j) and to (p, j + 1): B^T differs in these alone
    int64_t ldc;
    float alpha, beta;
};

__device__ inline void store(float* c, float sum, const Problem& p) {   // what C held is not read where beta is 0
    *c = p.beta != 0.0f ? p.alpha * sum + p.beta * *c : p.alpha * sum;
}

constexpr int kSide = 16;

__global__ void naive_kernel(const float* a, const float* b, float* c, Problem p) {
    const int64_t row = (int64_t)blockIdx.x * kSide + threadIdx.x;
    const int64_t col = (int64_t)blockIdx.y * kSide + threadIdx.y;
    for (int64_t j = col; j < p.n; j += (int64_t)gridDim.y * kSide) {
        if (row >= p.m) return;
        float sum = 0.0f;
        for (int64_t i = 0; i < p.k; ++i) sum += a[row * p.lda + i] * b[i * p.down_b + j * p.across_b];
        store(&c[row * p.ldc + j], sum, p);
    }
}

extern "C" cudaError_t gemm_01_naive(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc,
                                     int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const Problem p = {m, n, k, lda, transpose_b ? 1 : ldb, transpose_b ? ldb : 1, ldc, alpha, beta};
    const int64_t high = (m + kSide - 1) / kSide, wide = (n + kSide - 1) / kSide;
    const dim3 blocks((unsigned)high, (unsigned)(wide < 65535 ? wide : 65535));   // y has no more
    naive_kernel<<<blocks, dim3(kSide, kSide), 0, stream>>>(a, b, c, p);
    return cudaGetLastError();
}
