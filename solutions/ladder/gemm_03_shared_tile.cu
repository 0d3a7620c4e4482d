// gemm_03_shared_tile: C = alpha A B + beta C, or A B^T, a tile of C for each block, from tiles of A and B in shared memory.
//
// Check: python -m pytest tests/grading/test_gemm_ladder.py -k gemm_03_shared_tile
// Bench: python bench/gemm.py
//
// The new idea: a block computes 32 x 32 elements of C. It walks along k in steps of 32, and at each step fetches a tile of A and a tile of B into shared
// memory, where every element is used by 32 threads: global memory is read a thirty-second as often.
//
// Ledger: loads 0.25 bytes per FMA from global memory
//
// But: shared memory is now asked for two numbers for each multiplication, and it can give a warp one row of 32 numbers a cycle, while the
// multiprocessor could multiply four times as many.

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

constexpr int kSide = 32;

__global__ void __launch_bounds__(kSide * kSide)
shared_tile_kernel(const float* a, const float* b, float* c, Problem p, int64_t blocks_across) {
    __shared__ float tile_a[kSide][kSide], tile_b[kSide][kSide];
    const int x = threadIdx.x, y = threadIdx.y;
    const int64_t row = blockIdx.x / blocks_across * kSide + y, col = blockIdx.x % blocks_across * kSide + x;
    float sum = 0.0f;
    for (int64_t first = 0; first < p.k; first += kSide) {
        tile_a[y][x] = row < p.m && first + x < p.k ? a[row * p.lda + first + x] : 0.0f;
        tile_b[y][x] = col < p.n && first + y < p.k ? b[(first + y) * p.down_b + col * p.across_b] : 0.0f;
        __syncthreads();
        for (int i = 0; i < kSide; ++i) sum += tile_a[y][i] * tile_b[i][x];
        __syncthreads();   // before anyone overwrites the tiles
    }
    if (row < p.m && col < p.n) store(&c[row * p.ldc + col], sum, p);
}

extern "C" cudaError_t gemm_03_shared_tile(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc,
                                           int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const Problem p = {m, n, k, lda, transpose_b ? 1 : ldb, transpose_b ? ldb : 1, ldc, alpha, beta};
    const int64_t across = (n + kSide - 1) / kSide, down = (m + kSide - 1) / kSide;
    if (across * down > 2147483647) return cudaErrorInvalidConfiguration;
    shared_tile_kernel<<<(unsigned)(across * down), dim3(kSide, kSide), 0, stream>>>(a, b, c, p, across);
    return cudaGetLastError();
}
