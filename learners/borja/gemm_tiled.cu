// gemm_tiled: C = alpha A op(B) + beta C in fp32, a block per 128 x 128 of C, 8 x 8 of them per thread. Borja's version after four rounds;
// the rounds are in gemm_log.md.
//
// Check: onekernel check gemm_tiled
//
// The idea: one idea three times, the area over the edge. What a block has loaded serves 128 products, what a thread has in registers serves
// 8, and what a warp reads from shared memory at once should be few different words.
// What I learnt: who holds what is one question, and who reads what *together* is another. The same 32 x 64 elements of a warp cost 12
// wavefronts or 8, by nothing but the order in which I number its lanes.
//
// Ledger: 0.0625 bytes per multiply-add from global memory, 0.25 words from shared memory
// But: a block loads, waits, multiplies and waits; there is no second buffer. And a C of 129 x 129 pays for four tiles.

#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kTile = 128, kDepth = 8, kThreads = 256;
constexpr int kPitch = kTile + 4;                 // 132 words: row 4 of a tile begins in bank 16, not in bank 0 again
constexpr int kRowsApart = 16, kColsApart = 32;   // my 8 rows are 4 and 4 of a warp's 32, my 8 columns 4 and 4 of its 64

struct Problem {
    int64_t m, n, k, lda, ldb, ldc;
    bool turned;   // B is stored as n rows of k
    float alpha, beta;
};

// Four neighbours of a matrix from element (row, col) on, in one instruction where that is allowed, with zeros outside of rows x cols.
__device__ float4 load4(const float* from, int64_t stride, int64_t row, int64_t col, int64_t rows, int64_t cols) {
    const float* at = from + row * stride + col;
    if (row < rows && col + 4 <= cols && (uintptr_t)at % 16 == 0) return *reinterpret_cast<const float4*>(at);
    float v[4];
    for (int e = 0; e < 4; ++e) v[e] = row < rows && col + e < cols ? at[e] : 0.0f;
    return make_float4(v[0], v[1], v[2], v[3]);
}

// The threads load a tile of kTile rows and kDepth columns and write it turned: tile[column][row].
__device__ void fill_turned(float (*tile)[kPitch], const float* from, int64_t stride, int64_t row0, int64_t k0, int64_t rows, int64_t k) {
    const int r = threadIdx.x / 2, i = threadIdx.x % 2 * 4;
    const float4 v = load4(from, stride, row0 + r, k0 + i, rows, k);
    tile[i][r] = v.x;
    tile[i + 1][r] = v.y;
    tile[i + 2][r] = v.z;
    tile[i + 3][r] = v.w;
}

__device__ void take8(float* to, const float* from, int apart) {   // 4 neighbours, and 4 more `apart` further
    *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
    *reinterpret_cast<float4*>(to + 4) = *reinterpret_cast<const float4*>(from + apart);
}

// alpha and beta, and four neighbours of a row of C: at once where the address allows it, in which case C is read so, too.
__device__ void store4(float* row, int64_t col, const float* sums, const Problem& p) {
    float* out = row + col;
    float4 v = make_float4(p.alpha * sums[0], p.alpha * sums[1], p.alpha * sums[2], p.alpha * sums[3]);
    if (col + 4 <= p.n && (uintptr_t)out % 16 == 0) {
        if (p.beta != 0.0f) {
            const float4 old = *reinterpret_cast<const float4*>(out);
            v = make_float4(v.x + p.beta * old.x, v.y + p.beta * old.y, v.z + p.beta * old.z, v.w + p.beta * old.w);
        }
        __stcs(reinterpret_cast<float4*>(out), v);   // whole, whatever nvcc thinks of the branch below: see my gelu.cu
    } else {
        const float each[4] = {v.x, v.y, v.z, v.w};
        for (int e = 0; e < 4 && col + e < p.n; ++e) out[e] = p.beta == 0.0f ? each[e] : each[e] + p.beta * out[e];
    }
}

__global__ void __launch_bounds__(kThreads) gemm_tiled_kernel(const float* a, const float* b, float* c, Problem p) {
    __shared__ __align__(16) float tile_a[kDepth][kPitch], tile_b[kDepth][kPitch];
    const int64_t across = (p.n + kTile - 1) / kTile;
    const int64_t row0 = blockIdx.x / across * kTile, col0 = blockIdx.x % across * kTile;
    // A warp has 32 x 64 of C: 4 lanes down, 8 across. Bit 0 of a lane chooses a column and bit 1 a row, so that lanes 0 and 1 share their
    // words of A, and lanes 0 and 2 their words of B: sixteen lanes are served at a time in both.
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int down = lane / 2 % 4, aside = lane % 2 + lane / 8 * 2;
    const int y = warp / 2 * 32 + down * 4, x = warp % 2 * 64 + aside * 4;   // my first 4 x 4 begin here
    float sums[8][8] = {};
    for (int64_t k0 = 0; k0 < p.k; k0 += kDepth) {
        fill_turned(tile_a, a, p.lda, row0, k0, p.m, p.k);
        if (p.turned) {
            fill_turned(tile_b, b, p.ldb, col0, k0, p.n, p.k);
        } else {
            const int i = threadIdx.x / 32, j = threadIdx.x % 32 * 4;
            *reinterpret_cast<float4*>(&tile_b[i][j]) = load4(b, p.ldb, k0 + i, col0 + j, p.k, p.n);
        }
        __syncthreads();   // the tiles are complete
#pragma unroll
        for (int i = 0; i < kDepth; ++i) {
            __align__(16) float from_a[8], from_b[8];
            take8(from_a, &tile_a[i][y], kRowsApart);
            take8(from_b, &tile_b[i][x], kColsApart);
#pragma unroll
            for (int r = 0; r < 8; ++r)
#pragma unroll
                for (int j = 0; j < 8; ++j) sums[r][j] += from_a[r] * from_b[j];
        }
        __syncthreads();   // nobody needs them any more
    }
#pragma unroll
    for (int r = 0; r < 8; ++r) {
        const int64_t row = row0 + y + (r < 4 ? r : kRowsApart + r - 4);
        if (row >= p.m) continue;
#pragma unroll
        for (int h = 0; h < 8; h += 4) store4(c + row * p.ldc, col0 + x + (h ? kColsApart : 0), &sums[r][h], p);
    }
}

extern "C" cudaError_t gemm_tiled(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k,
                                  int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta,
                                  cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const Problem p = {m, n, k, lda, ldb, ldc, transpose_b != 0, alpha, beta};
    const int64_t blocks = ((m + kTile - 1) / kTile) * ((n + kTile - 1) / kTile);   // all in x: y ends at 65,535
    gemm_tiled_kernel<<<(unsigned)blocks, kThreads, 0, stream>>>(a, b, c, p);
    return cudaGetLastError();
}
