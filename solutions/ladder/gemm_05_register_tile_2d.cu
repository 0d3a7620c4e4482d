// gemm_05_register_tile_2d: C = alpha A B + beta C, or A B^T, 8 x 8 elements of C for each thread.
//
// Check: python -m pytest tests/grading/test_gemm_ladder.py -k gemm_05_register_tile_2d
// Bench: python bench/gemm.py
//
// The new idea: the tile in registers grows in both directions. Eight numbers of A and eight of B make 64 products: a quarter of a number for each
// multiplication. The block's tile grows with it to 128 x 128, and so each element that is fetched from global memory serves 128 times.
//
// Ledger: loads 0.0625 bytes per FMA from global memory
//
// But: every number is fetched by an instruction of its own, from global memory and from shared memory, although 16 bytes could come at once.

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

constexpr int kRows = 128, kCols = 128, kDepth = 8;   // of a block's tile of C, and along k
constexpr int kEach = 8;                             // rows and columns of a thread
constexpr int kThreads = kRows * kCols / (kEach * kEach);

__global__ void __launch_bounds__(kThreads)
register_tile_2d_kernel(const float* a, const float* b, float* c, Problem p, int64_t blocks_across) {
    __shared__ float tile_a[kRows][kDepth], tile_b[kDepth][kCols];
    const int t = threadIdx.x;
    const int x = t % (kCols / kEach) * kEach, y = t / (kCols / kEach) * kEach;   // this thread's corner in the tile
    const int64_t row = blockIdx.x / blocks_across * kRows, col = blockIdx.x % blocks_across * kCols;
    float sums[kEach][kEach] = {};
    for (int64_t first = 0; first < p.k; first += kDepth) {
#pragma unroll
        for (int e = t; e < kRows * kDepth; e += kThreads) {
            const int r = e / kDepth, i = e % kDepth;
            tile_a[r][i] = row + r < p.m && first + i < p.k ? a[(row + r) * p.lda + first + i] : 0.0f;
        }
#pragma unroll
        for (int e = t; e < kDepth * kCols; e += kThreads) {
            const int i = e / kCols, j = e % kCols;
            tile_b[i][j] = col + j < p.n && first + i < p.k ? b[(first + i) * p.down_b + (col + j) * p.across_b] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < kDepth; ++i) {
            float from_a[kEach], from_b[kEach];
#pragma unroll
            for (int e = 0; e < kEach; ++e) {
                from_a[e] = tile_a[y + e][i];
                from_b[e] = tile_b[i][x + e];
            }
#pragma unroll
            for (int r = 0; r < kEach; ++r) {
#pragma unroll
                for (int j = 0; j < kEach; ++j) sums[r][j] += from_a[r] * from_b[j];
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < kEach; ++r) {
#pragma unroll
        for (int j = 0; j < kEach; ++j) {
            if (row + y + r < p.m && col + x + j < p.n) store(&c[(row + y + r) * p.ldc + col + x + j], sums[r][j], p);
        }
    }
}

extern "C" cudaError_t gemm_05_register_tile_2d(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc,
                                                int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const Problem p = {m, n, k, lda, transpose_b ? 1 : ldb, transpose_b ? ldb : 1, ldc, alpha, beta};
    const int64_t across = (n + kCols - 1) / kCols, down = (m + kRows - 1) / kRows;
    if (across * down > 2147483647) return cudaErrorInvalidConfiguration;
    register_tile_2d_kernel<<<(unsigned)(across * down), kThreads, 0, stream>>>(a, b, c, p, across);
    return cudaGetLastError();
}
