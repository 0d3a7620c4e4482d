// gemm_10_mma_sync: C = alpha A B + beta C, or A B^T, bf16 on Tensor Cores.
//
// Check: python -m pytest tests/grading/test_gemm_ladder.py -k gemm_10_mma_sync
// Bench: python bench/gemm.py
//
// The new idea: mma.sync. A warp multiplies 16 x 16 by 16 x 8 in one instruction and adds to fp32 sums. Its operands and sums are fragments: which thread holds which
// element is fixed. ldmatrix brings four 8 x 8 matrices from shared memory into that order in one instruction, and turns them if asked to, which a B
// that runs along n needs. It reads eight rows of 16 bytes at a time, so a row's pieces are XORed with its number: a swizzle, the padding that takes no room.
//
// Ledger: loads 0.03125 bytes per FMA from global memory
//
// But: all threads still compute addresses, start copies, move fragments and wait at a barrier. On Hopper the instruction itself reaches two thirds of the
// peak at best, since it takes both operands from registers.

#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

using bf16 = __nv_bfloat16;

struct Problem {   // C (m x n) = alpha A (m x k) B + beta C; the row strides in elements
    int64_t m, n, k, lda, ldb, ldc;
    bool transpose_b;
    float alpha, beta;
};

// What has rows that do not begin on 16-byte boundaries goes this way: one thread for each element of C.
__global__ void one_each_kernel(const bf16* a, const bf16* b, bf16* c, Problem p) {
    for (int64_t at = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; at < p.m * p.n; at += (int64_t)gridDim.x * blockDim.x) {
        const int64_t row = at / p.n, col = at % p.n;
        float sum = 0.0f;
        for (int64_t i = 0; i < p.k; ++i) {
            sum += __bfloat162float(a[row * p.lda + i]) * __bfloat162float(b[p.transpose_b ? col * p.ldb + i : i * p.ldb + col]);
        }
        bf16* to = &c[row * p.ldc + col];
        *to = __float2bfloat16_rn(p.beta != 0.0f ? p.alpha * sum + p.beta * __bfloat162float(*to) : p.alpha * sum);
    }
}

static cudaError_t launch_one_each(const bf16* a, const bf16* b, bf16* c, const Problem& p, cudaStream_t stream) {
    const int64_t blocks = (p.m * p.n + 255) / 256;
    one_each_kernel<<<(unsigned)(blocks < 1 << 20 ? blocks : 1 << 20), 256, 0, stream>>>(a, b, c, p);
    return cudaGetLastError();
}

constexpr int kRows = 128, kCols = 128, kDepth = 32;   // of a block's tile of C, and along k
constexpr int kWarpRows = 64, kWarpCols = 32;          // of a warp's tile of it
constexpr int kThreads = 32 * (kRows / kWarpRows) * (kCols / kWarpCols);
constexpr int kStages = 4;
constexpr int kBytesA = kRows * kDepth * 2, kBytesB = kCols * kDepth * 2, kShared = kStages * (kBytesA + kBytesB);

// Where a piece of 16 bytes lies in a tile whose rows have kPieces of them. Eight rows of one column of pieces lie in eight different bank groups.
template <int kPieces>
__device__ uint32_t swizzled(int row, int piece) {
    return kPieces >= 8 ? (row * kPieces + (piece ^ (row & 7))) * 16 : (row * kPieces + (piece ^ (row >> 1 & 3))) * 16;
}

// Starts the copy of a tile of kHigh rows of kPieces pieces; `rows` and `cols` of the matrix are left from its corner on, the rest is zeros.
template <int kHigh, int kPieces>
__device__ void copy_tile(uint32_t to, const bf16* from, int64_t stride, int64_t rows, int64_t cols) {
    const int piece = threadIdx.x % kPieces;
#pragma unroll
    for (int row = threadIdx.x / kPieces; row < kHigh; row += kThreads / kPieces) {
        const int64_t left = row < rows ? (cols - piece * 8) * 2 : 0;
        const int bytes = left < 0 ? 0 : left > 16 ? 16 : (int)left;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                     ::"r"(to + swizzled<kPieces>(row, piece)), "l"(bytes ? from + row * stride + piece * 8 : from), "r"(bytes) : "memory");
    }
}

template <bool kTransposed>
__global__ void __launch_bounds__(kThreads, 2)
mma_sync_kernel(const bf16* a, const bf16* b, bf16* c, Problem p, int64_t blocks_across) {
    extern __shared__ __align__(128) unsigned char dynamic[];
    const uint32_t shared = (uint32_t)__cvta_generic_to_shared(dynamic);
    const int64_t row = blockIdx.x / blocks_across * kRows, col = blockIdx.x % blocks_across * kCols;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int warp_row = warp / (kCols / kWarpCols) * kWarpRows, warp_col = warp % (kCols / kWarpCols) * kWarpCols;

    auto copy = [&](int64_t first, int stage) {
        const uint32_t to_a = shared + stage * (kBytesA + kBytesB), to_b = to_a + kBytesA;
        copy_tile<kRows, kDepth / 8>(to_a, a + row * p.lda + first, p.lda, p.m - row, p.k - first);
        if constexpr (kTransposed) copy_tile<kCols, kDepth / 8>(to_b, b + col * p.ldb + first, p.ldb, p.n - col, p.k - first);
        else copy_tile<kDepth, kCols / 8>(to_b, b + first * p.ldb + col, p.ldb, p.k - first, p.n - col);
    };
    const int64_t tiles = (p.k + kDepth - 1) / kDepth;
    for (int s = 0; s < kStages - 1; ++s) {
        if (s < tiles) copy(s * kDepth, s);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    float sums[kWarpRows / 16][kWarpCols / 8][4] = {};
    int stage = 0, free_stage = kStages - 1;
    for (int64_t tile = 0; tile < tiles; ++tile) {
        asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2) : "memory");
        __syncthreads();
        if (tile + kStages - 1 < tiles) copy((tile + kStages - 1) * kDepth, free_stage);
        asm volatile("cp.async.commit_group;" ::: "memory");
        const uint32_t tile_a = shared + stage * (kBytesA + kBytesB), tile_b = tile_a + kBytesA;
#pragma unroll
        for (int k = 0; k < kDepth; k += 16) {
            uint32_t of_a[kWarpRows / 16][4], of_b[kWarpCols / 16][4];   // lane l gives the address of row l % 8 of matrix l / 8
#pragma unroll
            for (int i = 0; i < kWarpRows / 16; ++i) {
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(of_a[i][0]), "=r"(of_a[i][1]), "=r"(of_a[i][2]), "=r"(of_a[i][3])
                             : "r"(tile_a + swizzled<kDepth / 8>(warp_row + i * 16 + lane % 16, k / 8 + lane / 16)) : "memory");
            }
#pragma unroll
            for (int j = 0; j < kWarpCols / 16; ++j) {
                if constexpr (kTransposed) {
                    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                                 : "=r"(of_b[j][0]), "=r"(of_b[j][1]), "=r"(of_b[j][2]), "=r"(of_b[j][3])
                                 : "r"(tile_b + swizzled<kDepth / 8>(warp_col + j * 16 + lane / 16 * 8 + lane % 8, k / 8 + lane / 8 % 2)) : "memory");
                } else {
                    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                                 : "=r"(of_b[j][0]), "=r"(of_b[j][1]), "=r"(of_b[j][2]), "=r"(of_b[j][3])
                                 : "r"(tile_b + swizzled<kCols / 8>(k + lane % 16, (warp_col + j * 16) / 8 + lane / 16)) : "memory");
                }
            }
#pragma unroll
            for (int i = 0; i < kWarpRows / 16; ++i) {
#pragma unroll
                for (int j = 0; j < kWarpCols / 8; ++j) {
                    float(&d)[4] = sums[i][j];
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                                 : "r"(of_a[i][0]), "r"(of_a[i][1]), "r"(of_a[i][2]), "r"(of_a[i][3]), "r"(of_b[j / 2][j % 2 * 2]), "r"(of_b[j / 2][j % 2 * 2 + 1]));
                }
            }
        }
        free_stage = stage;
        stage = stage + 1 == kStages ? 0 : stage + 1;
    }
    // Of a 16 x 8 fragment, lane l holds columns l % 4 * 2 and the next, of row l / 4 and of the row that is eight further down.
#pragma unroll
    for (int i = 0; i < kWarpRows / 16; ++i) {
#pragma unroll
        for (int j = 0; j < kWarpCols / 8; ++j) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int64_t r = row + warp_row + i * 16 + e / 2 * 8 + lane / 4, at = col + warp_col + j * 8 + lane % 4 * 2 + e % 2;
                if (r >= p.m || at >= p.n) continue;
                bf16* to = &c[r * p.ldc + at];
                *to = __float2bfloat16_rn(p.beta != 0.0f ? p.alpha * sums[i][j][e] + p.beta * __bfloat162float(*to) : p.alpha * sums[i][j][e]);
            }
        }
    }
}

extern "C" cudaError_t gemm_10_mma_sync_bf16(const bf16* a, const bf16* b, bf16* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb,
                                             int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const Problem p = {m, n, k, lda, ldb, ldc, transpose_b != 0, alpha, beta};
    if (((uintptr_t)a | (uintptr_t)b) % 16 || lda % 8 || ldb % 8) return launch_one_each(a, b, c, p, stream);
    const int64_t across = (n + kCols - 1) / kCols, down = (m + kRows - 1) / kRows;
    if (across * down > 2147483647) return cudaErrorInvalidConfiguration;
    const auto kernel = p.transpose_b ? mma_sync_kernel<true> : mma_sync_kernel<false>;
    const cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared);
    if (error != cudaSuccess) return error;
    kernel<<<(unsigned)(across * down), kThreads, kShared, stream>>>(a, b, c, p, across);
    return cudaGetLastError();
}
