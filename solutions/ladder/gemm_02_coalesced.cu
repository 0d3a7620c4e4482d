// gemm_02_coalesced: C = alpha A B + beta C, or A B^T, neighbouring threads on neighbouring columns.
//
// Check: python -m pytest tests/grading/test_gemm_ladder.py -k gemm_02_coalesced
// Bench: python bench/gemm.py
//
// The new idea: threads and columns change places. The 32 threads of a warp now have one row and 32 columns: they read the same element of A, which is one
// sector, and 32 neighbours of B, which are four.
//
// Ledger: loads 8 bytes per FMA from global memory
//
// But: an element of A is still read by n threads and one of B by m, and each of these reads is an instruction for one multiplication. Of a B^T the
// threads of a warp read 32 rows, as the naive kernel did of A.

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

constexpr int kWide = 32, kHigh = 8;

__global__ void coalesced_kernel(const float* a, const float* b, float* c, Problem p) {
    const int64_t col = (int64_t)blockIdx.x * kWide + threadIdx.x;
    const int64_t row = (int64_t)blockIdx.y * kHigh + threadIdx.y;
    if (col >= p.n) return;
    for (int64_t i = row; i < p.m; i += (int64_t)gridDim.y * kHigh) {
        float sum = 0.0f;
        for (int64_t x = 0; x < p.k; ++x) sum += a[i * p.lda + x] * b[x * p.down_b + col * p.across_b];
        store(&c[i * p.ldc + col], sum, p);
    }
}

extern "C" cudaError_t gemm_02_coalesced(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc,
                                         int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const Problem p = {m, n, k, lda, transpose_b ? 1 : ldb, transpose_b ? ldb : 1, ldc, alpha, beta};
    const int64_t wide = (n + kWide - 1) / kWide, high = (m + kHigh - 1) / kHigh;
    const dim3 blocks((unsigned)wide, (unsigned)(high < 65535 ? high : 65535));   // y has no more
    coalesced_kernel<<<blocks, dim3(kWide, kHigh), 0, stream>>>(a, b, c, p);
    return cudaGetLastError();
}
