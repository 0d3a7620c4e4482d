// GEMM by tiles: C = alpha * A op(B) + beta * C; a block computes 128 x 128 elements of C, a thread 8 x 8 of them.
//
// Check: onekernel check gemm_tiled
// Bench: none: the rungs of the ladder are what is measured
//
// Idea:  what is read once serves a tile. A block keeps 8 columns of A and 8 rows of op(B) in shared memory, and each
//        element there serves 128 products; a thread keeps 8 numbers of each in registers, and each serves 8.
// <gap>
//| // TODO: the ledger. How many bytes per FMA does your kernel read from global memory, and from shared memory?
// Ledger: (128 + 128) x 4 bytes for 128 x 128 FMAs from global memory, 0.06 per FMA, in 16-byte loads where addresses
//         allow it; from shared memory 16 words for 64 FMAs, in four 16-byte reads without a bank conflict.
// </gap>
//
// But: a block reads, waits, multiplies, waits; and a C with fewer tiles than the card has multiprocessors leaves some idle.

#include <cuda_runtime.h>
#include <stdint.h>

// C (m x n) = alpha * A op(B) + beta * C, row strides in elements; `turned`: B is stored as n rows of k.
struct Problem {
    int64_t m, n, k, lda, ldb, ldc;
    bool turned;
    float alpha, beta;
};

// <gap>
//| __global__ void gemm_tiled_kernel(const float* a, const float* b, float* c, Problem p) {
//|     // TODO: a tile of A and one of op(B) in shared memory. For each step along k: load (zeros outside), barrier,
//|     // multiply, barrier. Threads without an element of C load and wait like all others.
//|     // TODO: then several elements of C for each thread, in registers; then 16-byte reads.
//| }
constexpr int kSide = 128, kDepth = 8;  // of a block's tile of C, and along k
constexpr int kEach = 8;                // rows and columns of C of a thread: two groups of four, half a tile apart
constexpr int kAcross = kSide / kEach;  // threads beside each other
constexpr int kThreads = kAcross * kAcross;
constexpr int kPad = 4;  // words after each row of a tile: rows that are written together lie in other banks

// Four neighbours of a row, of which `there` exist; the others are 0. `whole`: 16-byte loads are allowed.
__device__ float4 load_four(const float* from, int64_t there, bool whole) {
    if (whole && there >= 4) return *reinterpret_cast<const float4*>(from);
    return make_float4(there > 0 ? from[0] : 0.0f, there > 1 ? from[1] : 0.0f, there > 2 ? from[2] : 0.0f,
                       there > 3 ? from[3] : 0.0f);
}

// A tile whose rows are to lie along k, from a matrix whose rows lie along k too: it is turned on the way. `first` is
// the tile's first row in the matrix, which has `rows` rows of `k` elements.
__device__ void load_turned(float (*tile)[kSide + kPad], const float* from, int64_t stride, int64_t rows, int64_t first,
                            int64_t k, int64_t step, bool whole) {
    const int row = threadIdx.x / (kDepth / 4), p = threadIdx.x % (kDepth / 4) * 4;
    const int64_t there = first + row < rows ? k - step - p : 0;
    const float4 four = load_four(from + (first + row) * stride + step + p, there, whole);
    tile[p][row] = four.x;
    tile[p + 1][row] = four.y;
    tile[p + 2][row] = four.z;
    tile[p + 3][row] = four.w;
}

// The same tile from a matrix whose rows lie across: op(B) = B.
__device__ void load_straight(float (*tile)[kSide + kPad], const float* from, int64_t stride, int64_t columns,
                              int64_t first, int64_t k, int64_t step, bool whole) {
    const int p = threadIdx.x / (kSide / 4), column = threadIdx.x % (kSide / 4) * 4;
    const int64_t there = step + p < k ? columns - first - column : 0;
    *reinterpret_cast<float4*>(&tile[p][column]) =
        load_four(from + (step + p) * stride + first + column, there, whole);
}

// Eight numbers of a tile's row: four from `at` on, and four half a tile further.
__device__ void read_eight(float* eight, const float* row, int at) {
    *reinterpret_cast<float4*>(eight) = *reinterpret_cast<const float4*>(&row[at]);
    *reinterpret_cast<float4*>(eight + 4) = *reinterpret_cast<const float4*>(&row[at + kSide / 2]);
}

// Four neighbours of a row of C, of which `there` exist. C is not read where beta is 0.
__device__ void store_four(float* c, const float* sums, const Problem& p, int64_t there, bool whole) {
    __align__(16) float old[4] = {}, out[4];
    whole = whole && there >= 4;
    if (p.beta != 0.0f) {
        if (whole) *reinterpret_cast<float4*>(old) = *reinterpret_cast<const float4*>(c);
        else for (int e = 0; e < 4 && e < there; ++e) old[e] = c[e];
    }
    for (int e = 0; e < 4; ++e) out[e] = p.beta == 0.0f ? p.alpha * sums[e] : p.alpha * sums[e] + p.beta * old[e];
    if (whole) *reinterpret_cast<float4*>(c) = *reinterpret_cast<const float4*>(out);
    else for (int e = 0; e < 4 && e < there; ++e) c[e] = out[e];
}

__global__ void __launch_bounds__(kThreads)
gemm_tiled_kernel(const float* a, const float* b, float* c, Problem p, int64_t tiles_across) {
    __shared__ __align__(16) float tile_a[kDepth][kSide + kPad], tile_b[kDepth][kSide + kPad];
    const int64_t row = blockIdx.x / tiles_across * kSide, column = blockIdx.x % tiles_across * kSide;
    const int x = threadIdx.x % kAcross * 4, y = threadIdx.x / kAcross * 4;
    const bool whole_a = reinterpret_cast<uintptr_t>(a) % 16 == 0 && p.lda % 4 == 0;
    const bool whole_b = reinterpret_cast<uintptr_t>(b) % 16 == 0 && p.ldb % 4 == 0;
    const bool whole_c = reinterpret_cast<uintptr_t>(c) % 16 == 0 && p.ldc % 4 == 0;
    __align__(16) float sums[kEach][kEach] = {};
    for (int64_t step = 0; step < p.k; step += kDepth) {
        load_turned(tile_a, a, p.lda, p.m, row, p.k, step, whole_a);
        if (p.turned) load_turned(tile_b, b, p.ldb, p.n, column, p.k, step, whole_b);
        else load_straight(tile_b, b, p.ldb, p.n, column, p.k, step, whole_b);
        __syncthreads();  // the tiles are complete
#pragma unroll
        for (int i = 0; i < kDepth; ++i) {
            __align__(16) float from_a[kEach], from_b[kEach];
            read_eight(from_a, tile_a[i], y);
            read_eight(from_b, tile_b[i], x);
#pragma unroll
            for (int r = 0; r < kEach; ++r) {
#pragma unroll
                for (int j = 0; j < kEach; ++j) sums[r][j] += from_a[r] * from_b[j];
            }
        }
        __syncthreads();  // nobody needs them any more
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const int64_t at_column = column + x + half * (kSide / 2);
#pragma unroll
        for (int r = 0; r < kEach; ++r) {
            const int64_t at_row = row + y + (r < 4 ? r : kSide / 2 + r - 4);
            if (at_row < p.m) store_four(&c[at_row * p.ldc + at_column], &sums[r][4 * half], p, p.n - at_column, whole_c);
        }
    }
}
// </gap>

extern "C" cudaError_t gemm_tiled(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k,
                                  int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta,
                                  cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const Problem p = {m, n, k, lda, ldb, ldc, transpose_b != 0, alpha, beta};
    // <gap>
    //| // TODO: a block per tile of C, 16 x 16 threads for a start. A grid has at most 65,535 blocks in y.
    //| (void)a; (void)b; (void)c; (void)p; (void)stream;
    const int64_t across = (n + kSide - 1) / kSide, tiles = across * ((m + kSide - 1) / kSide);
    if (tiles > INT32_MAX) return cudaErrorInvalidConfiguration;
    gemm_tiled_kernel<<<(unsigned)tiles, kThreads, 0, stream>>>(a, b, c, p, across);
    // </gap>
    return cudaGetLastError();
}
