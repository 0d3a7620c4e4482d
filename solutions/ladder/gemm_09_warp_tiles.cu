// gemm_09_warp_tiles: C = alpha A B + beta C, or A B^T, a tile in a tile in a tile.
//
// Check: python -m pytest tests/grading/test_gemm_ladder.py -k gemm_09_warp_tiles
// Bench: python bench/gemm.py
//
// The new idea: a level between block and thread. Each warp has a tile of 64 x 32 for itself, its threads 8 x 4 in it, so that for 2048 products it reads 96 numbers
// from shared memory where the rung before needs 144 for as many. And three tiles are in shared memory, so that a copy has the time of two multiplications to arrive.
//
// Ledger: loads 0.0625 bytes per FMA from global memory
//
// But: on an H200 it is slower than the rung before it, 81 % of the library against 86: operands of a multiply-add meet in the same bank of registers
// more often (dispatch_stall in docs/en/results.md), and A's tile is still written turned, with conflicts. And nearly every instruction is a multiply-add by now, so that what is left to win is the instruction itself. A Tensor Core takes numbers of 16 bits
// and does 2048 multiply-adds in one instruction of a warp, where this kernel does 32.

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

constexpr int kRows = 128, kCols = 128, kDepth = 16;   // of a block's tile of C, and along k
constexpr int kEach = 8;                              // rows and columns of a thread
constexpr int kThreads = kRows * kCols / (kEach * kEach);
constexpr int kPad = 4;                                // floats after each row of A's tile
constexpr int kStages = 3;                             // tiles of A and of B in shared memory, one of them in use
constexpr int kWarpRows = 64, kWarpCols = 32;          // of a warp's tile: 8 x 4 threads, each with 8 x 8 elements

// Starts the copy of one number, or of four neighbours, to shared memory; zeros where they are not `there`. Nobody waits for it here.
__device__ inline void copy_one(float* to, const float* from, bool there) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from), "r"(there ? 4 : 0) : "memory");
}

__device__ inline void copy_four(float* to, const float* from, bool there) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from), "r"(there ? 16 : 0) : "memory");
}

__global__ void __launch_bounds__(kThreads, 2)   // two blocks at a time: at most 128 registers a thread
warp_tiles_kernel(const float* a, const float* b, float* c, Problem p, int64_t blocks_across, bool whole_b) {
    extern __shared__ __align__(16) float shared[];
    float (*tile_a)[kDepth][kRows + kPad] = (float (*)[kDepth][kRows + kPad])shared;
    float (*tile_b)[kDepth][kCols] = (float (*)[kDepth][kCols])(shared + kStages * kDepth * (kRows + kPad));
    const int t = threadIdx.x;
    // The warp's corner in the tile, then this lane's first four rows and columns; its others lie half a warp's tile further on.
    const int warp = t / 32, lane = t % 32;
    const int y = warp / (kCols / kWarpCols) * kWarpRows + lane / 4 * 4, x = warp % (kCols / kWarpCols) * kWarpCols + lane % 4 * 4;
    const int64_t row = blockIdx.x / blocks_across * kRows, col = blockIdx.x % blocks_across * kCols;

    const int a_k = t % kDepth, a_row = t / kDepth;   // A's tile is turned on its way, so that it travels number by number
    const int four_k = t / (kCols / 4), four_col = t % (kCols / 4) * 4;
    const float* from_a = a + (row + a_row) * p.lda + a_k;
    const float* from_b = b + four_k * p.down_b + (col + four_col) * p.across_b;
    const int rows_there = (int)(p.m - row < kRows ? p.m - row : kRows), cols_there = (int)(p.n - col < kCols ? p.n - col : kCols);
    auto copy = [&](int64_t first, int stage) {   // the tiles that begin at `first` of k
        const float* from = from_a + first;
#pragma unroll
        for (int r = 0; r < kRows; r += kThreads / kDepth) {
            const bool there = a_row + r < rows_there && first + a_k < p.k;
            copy_one(&tile_a[stage][a_k][a_row + r], there ? from : a, there);
            from += kThreads / kDepth * p.lda;
        }
#pragma unroll
        for (int e = 0; e < kDepth; e += kThreads / (kCols / 4)) {
            const float* from_row = from_b + (first + e) * p.down_b;
            const bool depth = first + four_k + e < p.k;
            if (whole_b) {   // and the number of columns is a multiple of four
                const bool there = depth && four_col < cols_there;
                copy_four(&tile_b[stage][four_k + e][four_col], there ? from_row : b, there);
            } else {
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    const bool there = depth && four_col + j < cols_there;
                    copy_one(&tile_b[stage][four_k + e][four_col + j], there ? from_row + j * p.across_b : b, there);
                }
            }
        }
    };

    const int64_t tiles = (p.k + kDepth - 1) / kDepth;
    for (int s = 0; s < kStages - 1; ++s) {
        if (s < tiles) copy(s * kDepth, s);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    float sums[kEach][kEach] = {};
    int stage = 0, free_stage = kStages - 1;
    for (int64_t tile = 0; tile < tiles; ++tile) {
        asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2) : "memory");   // this tile has come: of this thread's copies
        __syncthreads();                                                         // of everybody's; and the previous tile has been read
        if (tile + kStages - 1 < tiles) copy((tile + kStages - 1) * kDepth, free_stage);
        asm volatile("cp.async.commit_group;" ::: "memory");
#pragma unroll
        for (int i = 0; i < kDepth; ++i) {
            float of_a[kEach], of_b[kEach];
            *(float4*)of_a = *(const float4*)&tile_a[stage][i][y];
            *(float4*)(of_a + 4) = *(const float4*)&tile_a[stage][i][y + kWarpRows / 2];
            *(float4*)of_b = *(const float4*)&tile_b[stage][i][x];
            *(float4*)(of_b + 4) = *(const float4*)&tile_b[stage][i][x + kWarpCols / 2];
#pragma unroll
            for (int r = 0; r < kEach; ++r) {
#pragma unroll
                for (int j = 0; j < kEach; ++j) sums[r][j] += of_a[r] * of_b[j];
            }
        }
        free_stage = stage;
        stage = stage + 1 == kStages ? 0 : stage + 1;
    }
#pragma unroll
    for (int r = 0; r < kEach; ++r) {
        const int64_t at_row = row + y + (r < 4 ? r : kWarpRows / 2 + r - 4);
#pragma unroll
        for (int j = 0; j < kEach; ++j) {
            const int64_t at_col = col + x + (j < 4 ? j : kWarpCols / 2 + j - 4);
            if (at_row < p.m && at_col < p.n) store(&c[at_row * p.ldc + at_col], sums[r][j], p);
        }
    }
}

extern "C" cudaError_t gemm_09_warp_tiles(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc,
                                                          int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const Problem p = {m, n, k, lda, transpose_b ? 1 : ldb, transpose_b ? ldb : 1, ldc, alpha, beta};
    const bool whole_b = !transpose_b && (uintptr_t)b % 16 == 0 && ldb % 4 == 0 && n % 4 == 0;
    const int64_t across = (n + kCols - 1) / kCols, down = (m + kRows - 1) / kRows;
    if (across * down > 2147483647) return cudaErrorInvalidConfiguration;
    const int bytes = kStages * kDepth * (kRows + kPad + kCols) * (int)sizeof(float);
    const cudaError_t error = cudaFuncSetAttribute(warp_tiles_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (error != cudaSuccess) return error;
    warp_tiles_kernel<<<(unsigned)(across * down), kThreads, bytes, stream>>>(a, b, c, p, across, whole_b);
    return cudaGetLastError();
}
