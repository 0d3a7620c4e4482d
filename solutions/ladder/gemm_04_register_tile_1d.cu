// gemm_04_register_tile_1d: C = alpha A B + beta C, or A B^T, eight elements of a column of C for each thread.
//
// Check: python -m pytest tests/grading/test_gemm_ladder.py -k gemm_04_register_tile_1d
// Bench: python bench/gemm.py
//
// The new idea: a thread computes eight elements of C, one below the other. An element of B that it has read from shared memory serves all eight, so that
// eight multiplications need nine numbers instead of sixteen. The eight sums stay in registers.
//
// Ledger: loads 0.125 bytes per FMA from global memory
//
// But: that is still more than one number a multiplication. B's half is saved, A's is not.

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

constexpr int kRows = 64, kCols = 64, kDepth = 8;   // of a block's tile of C, and along k
constexpr int kEach = 8;                           // rows of a thread
constexpr int kThreads = kRows * kCols / kEach;

__global__ void __launch_bounds__(kThreads)
register_tile_1d_kernel(const float* a, const float* b, float* c, Problem p, int64_t blocks_across) {
    __shared__ float tile_a[kRows][kDepth], tile_b[kDepth][kCols];
    const int t = threadIdx.x;
    const int x = t % kCols, y = t / kCols * kEach;   // this thread's column, and the first of its rows
    const int64_t row = blockIdx.x / blocks_across * kRows, col = blockIdx.x % blocks_across * kCols;
    float sums[kEach] = {};
    for (int64_t first = 0; first < p.k; first += kDepth) {
        const int a_row = t / kDepth, a_k = t % kDepth, b_k = t / kCols, b_col = t % kCols;   // 512 threads, 512 elements of each tile
        tile_a[a_row][a_k] = row + a_row < p.m && first + a_k < p.k ? a[(row + a_row) * p.lda + first + a_k] : 0.0f;
        tile_b[b_k][b_col] = col + b_col < p.n && first + b_k < p.k ? b[(first + b_k) * p.down_b + (col + b_col) * p.across_b] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < kDepth; ++i) {
            const float from_b = tile_b[i][x];
#pragma unroll
            for (int r = 0; r < kEach; ++r) sums[r] += tile_a[y + r][i] * from_b;
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < kEach; ++r) {
        if (row + y + r < p.m && col + x < p.n) store(&c[(row + y + r) * p.ldc + col + x], sums[r], p);
    }
}

extern "C" cudaError_t gemm_04_register_tile_1d(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc,
                                                int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const Problem p = {m, n, k, lda, transpose_b ? 1 : ldb, transpose_b ? ldb : 1, ldc, alpha, beta};
    const int64_t across = (n + kCols - 1) / kCols, down = (m + kRows - 1) / kRows;
    if (across * down > 2147483647) return cudaErrorInvalidConfiguration;
    register_tile_1d_kernel<<<(unsigned)(across * down), kThreads, 0, stream>>>(a, b, c, p, across);
    return cudaGetLastError();
}
