// GEMM by tiles: C = alpha * A op(B) + beta * C; a block computes a tile of C.
//
// Check: onekernel check gemm_tiled
// Bench: python bench/gemm.py
//
// Idea:  what is read once serves a tile. A block keeps a strip of A and one of op(B) in shared memory, and a thread a few
//        numbers of each in registers: each of them serves as many products as the tile has rows or columns.
// <gap>
//| // TODO: the ledger. How many bytes per FMA does your kernel read from global memory, and from shared memory?
//        Here a block has 128 x 128 elements of C and 8 columns of A and 8 rows of op(B) at a time; a thread has 16 x 8
//        elements, and takes 16 numbers of A and 8 of op(B) for 128 products.
// Ledger: (128 + 128) x 4 bytes for 128 x 128 FMAs from global memory, 0.06 per FMA, in 16-byte loads where addresses
//         allow it; from shared memory 24 words for 128 FMAs, in six 16-byte reads without a bank conflict. The next
//         tiles travel through registers while these are multiplied.
// </gap>
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

// <gap>
//| __global__ void gemm_tiled_kernel(const float* a, const float* b, float* c, Problem p) {
//|     // TODO: a tile of A and one of op(B) in shared memory. For each step along k: load (zeros outside), barrier,
//|     // multiply, barrier. Threads without an element of C load and wait like all others.
//|     // TODO: then several elements of C for each thread, in registers; then 16-byte reads.
//| }
constexpr int kSide = 128, kDepth = 8;  // of a block's tile of C, and along k
constexpr int kHigh = 16, kWide = 8;    // rows and columns of C of a thread: groups of four, kDown and kAcross apart
constexpr int kDown = kSide / (kHigh / 4), kAcross = kSide / (kWide / 4);
constexpr int kThreads = kSide * kSide / (kHigh * kWide);
constexpr int kFours = kSide * kDepth / 4 / kThreads;  // of a tile, that each thread fetches
constexpr int kPad = 4;  // words after each row of a tile: rows that are written together lie in other banks

using Tile = float[kDepth][kSide + kPad];

// Four neighbours of a row, of which `there` exist; the others are 0. `whole`: 16-byte loads are allowed.
__device__ inline float4 load_four(const float* from, int64_t there, bool whole) {
    if (whole && there >= 4) return *reinterpret_cast<const float4*>(from);
    return make_float4(there > 0 ? from[0] : 0.0f, there > 1 ? from[1] : 0.0f, there > 2 ? from[2] : 0.0f,
                       there > 3 ? from[3] : 0.0f);
}

// One of the two matrices as a block walks along k: this thread's fours of the next tile, on their way in registers.
// kTurned: the matrix's rows lie along k, and the tile's are to lie across; so it is turned on the way.
template <bool kTurned>
struct Fetcher {
    static constexpr int kAlong = kTurned ? kDepth : kSide;  // of the tile, in the direction of a row of the matrix
    static constexpr int kStep = kThreads / (kAlong / 4);    // rows of the matrix from one four to the next
    const int row = threadIdx.x / (kAlong / 4), along = threadIdx.x % (kAlong / 4) * 4;
    const float* from;
    const int64_t stride, across;  // `across`: how many rows or columns of C there are from the tile's first on
    const bool whole;              // whether 16-byte loads are allowed
    float4 fours[kFours];

    __device__ Fetcher(const float* matrix, int64_t stride, int64_t first, int64_t size)
        : from(matrix + (kTurned ? first * stride : first) + row * stride + along), stride(stride),
          across(size - first), whole(reinterpret_cast<uintptr_t>(matrix) % 16 == 0 && stride % 4 == 0) {}

    // Starts the loads; nobody waits for them here. `depth`: how much of k is left.
    // kInside: all of the tile exists, and 16-byte loads are allowed.
    template <bool kInside>
    __device__ void fetch(int64_t depth) {
#pragma unroll
        for (int e = 0; e < kFours; ++e) {
            const int at = row + e * kStep;
            const int64_t there = kTurned ? (at < across ? depth - along : 0) : (at < depth ? across - along : 0);
            const float* four = from + e * kStep * stride;
            fours[e] = kInside ? *reinterpret_cast<const float4*>(four) : load_four(four, there, whole);
        }
        from += kTurned ? kDepth : kDepth * stride;
    }

    __device__ void put(Tile& tile) const {
#pragma unroll
        for (int e = 0; e < kFours; ++e) {
            const int at = row + e * kStep;
            if (kTurned) {
                tile[along][at] = fours[e].x;
                tile[along + 1][at] = fours[e].y;
                tile[along + 2][at] = fours[e].z;
                tile[along + 3][at] = fours[e].w;
            } else {
                *reinterpret_cast<float4*>(&tile[at][along]) = fours[e];
            }
        }
    }
};

// kCount numbers of a tile's row: fours from `at` on, each `apart` further than the one before.
template <int kCount>
__device__ inline void read_fours(float (&to)[kCount], const float* row, int at, int apart) {
#pragma unroll
    for (int g = 0; g < kCount / 4; ++g) {
        *reinterpret_cast<float4*>(&to[4 * g]) = *reinterpret_cast<const float4*>(&row[at + g * apart]);
    }
}

// Four neighbours of a row of C, of which `there` exist. C is not read where beta is 0.
__device__ inline void store_four(float* c, const float* sums, const Problem& p, int64_t there, bool whole) {
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

// A block's tile of C, from (row, column) on. There are two tiles of A and two of op(B) in shared memory: while one is
// multiplied, the next is on its way, and one barrier a step is enough.
template <bool kTurned, bool kInside>
__device__ void multiply(Tile* tiles_a, Tile* tiles_b, Fetcher<true>& of_a, Fetcher<kTurned>& of_b, float* c,
                         const Problem& p, int64_t row, int64_t column) {
    // Four rows of eight threads make a warp. Bit 0 and bit 1 of a lane's number choose a column and a row: a read of
    // A is the same for neighbours, a read of B for every other lane, and such reads share wavefronts.
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int x = (warp % 2 * 8 + (lane & 1) + (lane / 4 & 1) * 2 + lane / 16 * 4) * 4;
    const int y = (warp / 2 * 4 + (lane / 2 & 1) + (lane / 8 & 1) * 2) * 4;
    __align__(16) float sums[kHigh][kWide] = {};
    of_a.template fetch<kInside>(p.k);
    of_b.template fetch<kInside>(p.k);
    of_a.put(tiles_a[0]);
    of_b.put(tiles_b[0]);
    __syncthreads();
    int now = 0;
    for (int64_t left = p.k; left > 0; left -= kDepth) {
        const bool more = left > kDepth;
        if (more) {
            of_a.template fetch<kInside>(left - kDepth);
            of_b.template fetch<kInside>(left - kDepth);
        }
#pragma unroll
        for (int i = 0; i < kDepth; ++i) {
            __align__(16) float from_a[kHigh], from_b[kWide];
            read_fours(from_a, tiles_a[now][i], y, kDown);
            read_fours(from_b, tiles_b[now][i], x, kAcross);
#pragma unroll
            for (int r = 0; r < kHigh; ++r) {
#pragma unroll
                for (int j = 0; j < kWide; ++j) sums[r][j] += from_a[r] * from_b[j];
            }
        }
        now = 1 - now;
        if (more) {  // into the tiles that everybody has read: the barrier of the step before says so
            of_a.put(tiles_a[now]);
            of_b.put(tiles_b[now]);
        }
        __syncthreads();
    }
    const bool whole_c = reinterpret_cast<uintptr_t>(c) % 16 == 0 && p.ldc % 4 == 0;
#pragma unroll
    for (int g = 0; g < kWide / 4; ++g) {
        const int64_t at_column = column + x + g * kAcross;
#pragma unroll
        for (int r = 0; r < kHigh; ++r) {
            const int64_t at_row = row + y + r / 4 * kDown + r % 4;
            if (at_row < p.m) store_four(&c[at_row * p.ldc + at_column], &sums[r][4 * g], p, p.n - at_column, whole_c);
        }
    }
}

template <bool kTurned>
__global__ void __launch_bounds__(kThreads, 2)  // two blocks at a time: at most 255 registers a thread
gemm_tiled_kernel(const float* a, const float* b, float* c, Problem p, int64_t tiles_across) {
    __shared__ __align__(16) Tile tiles_a[2], tiles_b[2];
    const int64_t row = blockIdx.x / tiles_across * kSide, column = blockIdx.x % tiles_across * kSide;
    Fetcher<true> of_a(a, p.lda, row, p.m);
    Fetcher<kTurned> of_b(b, p.ldb, column, p.n);
    const bool inside = row + kSide <= p.m && column + kSide <= p.n && p.k > 0 && p.k % kDepth == 0;
    if (inside && of_a.whole && of_b.whole) multiply<kTurned, true>(tiles_a, tiles_b, of_a, of_b, c, p, row, column);
    else multiply<kTurned, false>(tiles_a, tiles_b, of_a, of_b, c, p, row, column);
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
    const auto kernel = p.turned ? gemm_tiled_kernel<true> : gemm_tiled_kernel<false>;
    kernel<<<(unsigned)tiles, kThreads, 0, stream>>>(a, b, c, p, across);
    // </gap>
    return cudaGetLastError();
}
