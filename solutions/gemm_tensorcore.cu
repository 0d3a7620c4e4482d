// gemm_tensorcore: C = alpha A B + beta C, or A B^T, in fp16 and bf16 on Tensor Cores; every sum is in fp32.
//
// Check: onekernel check gemm_tensorcore
// Bench: python bench/gemm.py
//
// <gap>
//| // TODO: what your kernel loads, how wide, and which unit multiplies: mma.sync with ldmatrix, or nvcuda::wmma of <mma.h>.
// Two kernels. wgmma_kernel is Hopper's (sm_90a): one thread feeds tiles through the copy engine (TMA), two warpgroups multiply straight
// from shared memory, blocks in pairs share B's tile, and each block stays for many tiles. mma_kernel is everybody else's (sm_80 and newer),
// and Hopper's too where the copy engine cannot go: it wants rows that start on 16-byte boundaries. It copies with cp.async, moves
// fragments with ldmatrix and multiplies with mma.sync.
//
// But: a sum over K is never divided among blocks, so that a small C with a long K leaves multiprocessors idle.
// </gap>

// <gap>
#include <cuda.h>   // for CUtensorMap; the one function of the driver that is called is asked for at run time
// </gap>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

// <gap>
template <typename T, typename U>
constexpr bool kSame = false;
template <typename T>
constexpr bool kSame<T, T> = true;

// </gap>
struct Problem {   // C (m x n) = alpha A (m x k) B + beta C; the row strides in elements
    int64_t m, n, k, lda, ldb, ldc;
    float alpha, beta;
};

// <gap>
__device__ inline uint32_t shared_address(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__host__ __device__ constexpr int64_t pieces(int64_t whole, int64_t piece) { return (whole + piece - 1) / piece; }

// Where a tile lies in the grid of tiles: `group` rows of tiles are walked column by column, so that the tiles that are computed at the same
// time form a square, and share the rows of A and the columns of B that they find in L2.
struct Place {
    int64_t row, col;
};

__host__ __device__ inline Place place_of(int64_t tile, int64_t rows, int64_t cols, int64_t group) {
    const int64_t band = tile / (group * cols);
    const int64_t first = band * group;
    const int64_t high = rows - first < group ? rows - first : group;
    const int64_t within = tile - first * cols;
    return {first + within % high, within / high};
}

template <typename T>
__device__ uint32_t pack(float low, float high) {   // two results of a row, rounded, as they lie in memory
    if constexpr (kSame<T, __half>) {
        const __half2 both = __floats2half2_rn(low, high);
        return *(const uint32_t*)&both;
    } else {
        const __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
        return *(const uint32_t*)&both;
    }
}

template <typename T>
__device__ float widen(T x) {
    if constexpr (kSame<T, __half>) return __half2float(x);
    else return __bfloat162float(x);
}

template <typename T>
__device__ T narrow(float x) {
    if constexpr (kSame<T, __half>) return __float2half_rn(x);
    else return __float2bfloat16_rn(x);
}

// ---------------------------------------------------------------------------------------------------- mma.sync: sm_80 and newer

// A block of kRows x kCols of C, kDepth of K at a time; a warp computes kWarpRows x kWarpCols of it.
template <int kRows_, int kCols_, int kDepth_, int kWarpRows_, int kWarpCols_, int kStages_>
struct Tile {
    static constexpr int kRows = kRows_, kCols = kCols_, kDepth = kDepth_, kStages = kStages_;
    static constexpr int kWarpRows = kWarpRows_, kWarpCols = kWarpCols_;
    static constexpr int kThreads = 32 * (kRows / kWarpRows) * (kCols / kWarpCols);
    static constexpr int kBytesA = kRows * kDepth * 2, kBytesB = kCols * kDepth * 2;
    static constexpr int kShared = kStages * (kBytesA + kBytesB);
};

// Shared memory holds a tile in chunks of 16 bytes, kChunks to a row. Eight rows of one column of chunks, which is what ldmatrix reads at a
// time, would lie in the same banks; so a chunk's place in its row is XORed with the row's number.
template <int kChunks>
__device__ uint32_t chunk_offset(int row, int chunk) {
    if constexpr (kChunks >= 8) return (row * kChunks + (chunk ^ (row & 7))) * 16;
    else return (row * kChunks + (chunk ^ ((row >> 1) & 3))) * 16;   // two rows of four chunks fill the banks once
}

// Copies the first `bytes` (0 to 16) of a chunk to shared memory, and zeros after them. Global memory is read kAlign bytes at a time.
template <int kAlign, typename T>
__device__ void copy_chunk(uint32_t to, const T* from, int bytes) {
    if constexpr (kAlign == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
    } else if constexpr (kAlign == 4) {
#pragma unroll
        for (int at = 0; at < 16; at += 4) {
            const int left = bytes - at < 0 ? 0 : bytes - at > 4 ? 4 : bytes - at;
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to + at), "l"(left > 0 ? from + at / 2 : from), "r"(left) : "memory");
        }
    } else {   // no asynchronous copy is that small
        uint32_t words[4];
#pragma unroll
        for (int w = 0; w < 4; ++w) {
            const uint32_t low = 4 * w < bytes ? *(const uint16_t*)(from + 2 * w) : 0;
            const uint32_t high = 4 * w + 2 < bytes ? *(const uint16_t*)(from + 2 * w + 1) : 0;
            words[w] = low | high << 16;
        }
        asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3]) : "memory");
    }
}

// One thread's part in copying tiles of kRows rows of kChunks chunks, one after the other, from rows that lie `stride` elements apart.
template <typename T, int kRows, int kChunks, int kThreads, int kAlign>
struct Copier {
    static constexpr int kEach = kRows * kChunks / kThreads, kStep = kThreads / kChunks;
    static_assert(kThreads % kChunks == 0 && kRows % kStep == 0, "every thread copies the same column of chunks");

    const T* from;     // this thread's chunk of the first row that it copies
    int64_t stride;
    uint32_t to[kEach];

    __device__ Copier(const T* tile, int64_t stride) : stride(stride) {
        const int row = threadIdx.x / kChunks, chunk = threadIdx.x % kChunks;
        from = tile + row * stride + chunk * 8;
#pragma unroll
        for (int i = 0; i < kEach; ++i) to[i] = chunk_offset<kChunks>(row + i * kStep, chunk);
    }

    // `rows` and `cols` are what is left of the matrix, counted from this tile's corner.
    __device__ void copy(uint32_t shared, int64_t rows, int64_t cols) const {
        const int row = threadIdx.x / kChunks, chunk = threadIdx.x % kChunks;
        const int64_t left = (cols - chunk * 8) * 2;
        const int bytes = left < 0 ? 0 : left > 16 ? 16 : (int)left;
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
            const bool there = row + i * kStep < rows && bytes > 0;
            copy_chunk<kAlign>(shared + to[i], there ? from + i * kStep * stride : from, there ? bytes : 0);
        }
    }
};

__device__ inline void load_matrices(uint32_t (&r)[4], uint32_t address) {   // four 8 x 8 matrices; lane l gives row l % 8 of matrix l / 8
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address) : "memory");
}

__device__ inline void load_matrices_transposed(uint32_t (&r)[4], uint32_t address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address) : "memory");
}

template <typename T>
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {   // d += a b: 16 x 8 += 16 x 16 by 16 x 8
    if constexpr (kSame<T, __half>) {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    } else {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    }
}

// The fragments of 16 of K: what one warp multiplies before it needs the next.
template <typename T, typename Tile, bool kTransposed>
struct Fragments {
    static constexpr int kHigh = Tile::kWarpRows / 16, kWide = Tile::kWarpCols / 16;
    uint32_t a[kHigh][4], b[kWide][4];

    __device__ void load(uint32_t shared_a, uint32_t shared_b, int row, int col, int k) {   // the warp's corner in the block's tile
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int i = 0; i < kHigh; ++i) {
            load_matrices(a[i], shared_a + chunk_offset<Tile::kDepth / 8>(row + i * 16 + lane % 16, k / 8 + lane / 16));
        }
#pragma unroll
        for (int j = 0; j < kWide; ++j) {
            if constexpr (kTransposed) {   // B lies as columns of C by K, which is as the multiplier wants it
                const int at = col + j * 16 + lane / 16 * 8 + lane % 8;
                load_matrices(b[j], shared_b + chunk_offset<Tile::kDepth / 8>(at, k / 8 + lane / 8 % 2));
            } else {
                load_matrices_transposed(b[j], shared_b + chunk_offset<Tile::kCols / 8>(k + lane % 16, (col + j * 16) / 8 + lane / 16));
            }
        }
    }
};

template <typename T, typename Tile, bool kTransposed, int kAlign>
__global__ void __launch_bounds__(Tile::kThreads)
mma_kernel(const T* a, const T* b, T* c, Problem p, int64_t group, bool in_pairs) {
    extern __shared__ __align__(128) unsigned char shared[];
    constexpr int kStages = Tile::kStages, kSteps = Tile::kDepth / 16;
    static_assert(kSteps % 2 == 0, "two sets of fragments take turns");
    constexpr int kStage = Tile::kBytesA + Tile::kBytesB;
    using CopierA = Copier<T, Tile::kRows, Tile::kDepth / 8, Tile::kThreads, kAlign>;
    using CopierB = Copier<T, kTransposed ? Tile::kCols : Tile::kDepth, (kTransposed ? Tile::kDepth : Tile::kCols) / 8, Tile::kThreads, kAlign>;

    const Place place = place_of(blockIdx.x, pieces(p.m, Tile::kRows), pieces(p.n, Tile::kCols), group);
    const int64_t row = place.row * Tile::kRows, col = place.col * Tile::kCols;
    CopierA copier_a(a + row * p.lda, p.lda);
    CopierB copier_b(kTransposed ? b + col * p.ldb : b + col, p.ldb);
    const uint32_t first = shared_address(shared);
    const int tiles = (int)pieces(p.k, Tile::kDepth);

    int64_t k_left = p.k;   // of what is not yet being copied
    int filled = 0;         // the stage that the next copy goes to
    auto copy = [&] {
        if (k_left > 0) {
            const uint32_t stage = first + filled * kStage;
            copier_a.copy(stage, p.m - row, k_left);
            copier_b.copy(stage + Tile::kBytesA, kTransposed ? p.n - col : k_left, kTransposed ? k_left : p.n - col);
            copier_a.from += Tile::kDepth;
            copier_b.from += kTransposed ? Tile::kDepth : Tile::kDepth * p.ldb;
            k_left -= Tile::kDepth;
        }
        filled = filled + 1 == kStages ? 0 : filled + 1;
        asm volatile("cp.async.commit_group;" ::: "memory");   // a group each time, empty at the end, so that counting groups counts tiles
    };
    auto wait = [&] {   // for all but the newest kStages - 2 tiles of everybody
        asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2) : "memory");
        __syncthreads();
    };

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    constexpr int kWarpsAcross = Tile::kCols / Tile::kWarpCols;
    const int warp_row = warp / kWarpsAcross * Tile::kWarpRows, warp_col = warp % kWarpsAcross * Tile::kWarpCols;
    Fragments<T, Tile, kTransposed> fragments[2];
    constexpr int kHigh = Tile::kWarpRows / 16, kWide = Tile::kWarpCols / 8;
    float sums[kHigh][kWide][4] = {};

    for (int s = 0; s < kStages - 1; ++s) copy();
    wait();
    if (tiles > 0) fragments[0].load(first, first + Tile::kBytesA, warp_row, warp_col, 0);
    int stage = 0;
    for (int tile = 0; tile < tiles; ++tile) {
#pragma unroll
        for (int step = 0; step < kSteps; ++step) {
            if (step == kSteps - 1) {   // the next fragments are of the next tile: everybody has read this one now
                wait();
                stage = stage + 1 == kStages ? 0 : stage + 1;
            }
            if (step < kSteps - 1 || tile + 1 < tiles) {
                const uint32_t from = first + stage * kStage;
                fragments[(step + 1) % 2].load(from, from + Tile::kBytesA, warp_row, warp_col, (step + 1) % kSteps * 16);
            }
            if (step == 0) copy();   // into the stage that was read before this one
#pragma unroll
            for (int i = 0; i < kHigh; ++i) {
#pragma unroll
                for (int j = 0; j < kWide; ++j) {
                    const int across = i % 2 ? kWide - 1 - j : j;   // there and back: the last column's fragment is used again at once
                    mma<T>(sums[i][across], fragments[step % 2].a[i], fragments[step % 2].b[across / 2][across % 2 * 2],
                           fragments[step % 2].b[across / 2][across % 2 * 2 + 1]);
                }
            }
        }
    }

#pragma unroll
    for (int i = 0; i < kHigh; ++i) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int64_t r = row + warp_row + i * 16 + half * 8 + lane / 4;
            if (r >= p.m) continue;
            T* c_row = c + r * p.ldc;
#pragma unroll
            for (int j = 0; j < kWide; ++j) {
                const int64_t at = col + warp_col + j * 8 + lane % 4 * 2;
                float low = tiles > 0 ? p.alpha * sums[i][j][half * 2] : 0.0f, high = tiles > 0 ? p.alpha * sums[i][j][half * 2 + 1] : 0.0f;
                if (p.beta != 0.0f) {
                    if (at < p.n) low += p.beta * widen(c_row[at]);
                    if (at + 1 < p.n) high += p.beta * widen(c_row[at + 1]);
                }
                if (in_pairs && at + 1 < p.n) {
                    *(uint32_t*)(c_row + at) = pack<T>(low, high);
                } else {
                    if (at < p.n) c_row[at] = narrow<T>(low);
                    if (at + 1 < p.n) c_row[at + 1] = narrow<T>(high);
                }
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------------- wgmma: sm_90a

constexpr int kBlockRows = 128;    // of C that a block computes at a time, half of them in each of two warpgroups
constexpr int kBlockDepth = 64;    // of K in a stage: 128 bytes, the widest row that the copy engine swizzles
constexpr int kWarpgroup = 128;    // threads that issue a wgmma together
constexpr int kConsumers = 2;      // warpgroups that multiply
constexpr int kStoreCols = 64;     // of C in one store of the copy engine, again 128 bytes

template <int kCols_, int kCluster_, int kStages_>   // a block's columns of C; blocks that share B's tile; tiles under way
struct Plan {
    static constexpr int kCols = kCols_, kCluster = kCluster_, kStages = kStages_;
    static constexpr int kBytesA = kBlockRows * kBlockDepth * 2, kBytesB = kCols * kBlockDepth * 2;
    static constexpr int kBytesC = 64 * kStoreCols * 2;   // one store of a warpgroup
    static constexpr int kShared = kStages * (kBytesA + kBytesB) + kConsumers * 2 * kBytesC + 1024;   // and room to begin at 1024 bytes
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

__device__ inline void barrier_init(uint64_t* barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

// Arrives, and has the barrier wait for `bytes` of the copy engine as well.
__device__ inline void barrier_expect(uint64_t* barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes) : "memory");
}

__device__ inline void barrier_arrive_at(uint64_t* barrier, int block) {   // the same barrier of a block of the cluster
    asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\nmbarrier.arrive.shared::cluster.b64 _, [there];\n}"
                 ::"r"(shared_address(barrier)), "r"(block) : "memory");
}

__device__ inline void barrier_wait(uint64_t* barrier, uint32_t parity) {   // until the phase of this parity is over
    uint32_t over;
    do {
        asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                     : "=r"(over) : "r"(shared_address(barrier)), "r"(parity) : "memory");
    } while (!over);
}

__device__ inline void cluster_barrier() {
    asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

// A box of a matrix to shared memory, its corner at element (col, row); what lies outside of the matrix arrives as zeros.
__device__ inline void tma_load(uint32_t to, const CUtensorMap* map, int col, int row, uint64_t* barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 ::"r"(to), "l"(map), "r"(col), "r"(row), "r"(shared_address(barrier)) : "memory");
}

// The same, to the same place in every block of `blocks`, a bit each; each block's own barrier hears of it.
__device__ inline void tma_load_multicast(uint32_t to, const CUtensorMap* map, int col, int row, uint64_t* barrier, uint16_t blocks) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;"
                 ::"r"(to), "l"(map), "r"(col), "r"(row), "r"(shared_address(barrier)), "h"(blocks) : "memory");
}

__device__ inline void tma_store(const CUtensorMap* map, int col, int row, uint32_t from) {   // what lies outside is not written
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];\ncp.async.bulk.commit_group;"
                 ::"l"(map), "r"(col), "r"(row), "r"(from) : "memory");
}

template <int kPending>
__device__ void tma_stores_read() {   // until all but kPending stores have read their shared memory
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kPending) : "memory");
}

// How wgmma is told where an operand lies in shared memory: rows of 128 bytes, swizzled in groups of eight (1024 bytes). `leap` is the way
// to the next 64 elements of an operand that does not run along K (PTX ISA, "Matrix descriptor format").
__device__ inline uint64_t descriptor(uint32_t address, int leap) {
    return (uint64_t)(address >> 4 & 0x3fff) | (uint64_t)(leap >> 4) << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}

#define NAMES_0_31 \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, " \
    "%29, %30, %31"
#define NAMES_32_63 \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, " \
    "%59, %60, %61, %62, %63"
#define NAMES_64_127 \
    "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, " \
    "%91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, " \
    "%115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define SUMS_8(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define SUMS_32(i) SUMS_8(i), SUMS_8(i + 8), SUMS_8(i + 16), SUMS_8(i + 24)
#define WGMMA(shape, type, names, at_a, at_b, at_p, at_t, ...)                                                                        \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " at_p ", 0;\nwgmma.mma_async.sync.aligned." shape ".f32." type "." type " {" names \
                 "}, " at_a ", " at_b ", p, 1, 1, 0, " at_t ";\n}" : __VA_ARGS__ : "l"(a), "l"(b), "r"(add), "n"((int)!kTransposed))

// d = a b (+ d where `add`): 64 x kCols, 16 of K, by the 128 threads of a warpgroup; it goes on while they do something else.
template <typename T, int kCols, bool kTransposed>
__device__ void wgmma(float (&d)[kCols / 2], uint64_t a, uint64_t b, int add) {
    constexpr bool kHalf = kSame<T, __half>;
    if constexpr (kCols == 256 && kHalf) {
        WGMMA("m64n256k16", "f16", NAMES_0_31 ", " NAMES_32_63 ", " NAMES_64_127, "%128", "%129", "%130", "%131", SUMS_32(0), SUMS_32(32), SUMS_32(64), SUMS_32(96));
    } else if constexpr (kCols == 256) {
        WGMMA("m64n256k16", "bf16", NAMES_0_31 ", " NAMES_32_63 ", " NAMES_64_127, "%128", "%129", "%130", "%131", SUMS_32(0), SUMS_32(32), SUMS_32(64), SUMS_32(96));
    } else if constexpr (kCols == 128 && kHalf) {
        WGMMA("m64n128k16", "f16", NAMES_0_31 ", " NAMES_32_63, "%64", "%65", "%66", "%67", SUMS_32(0), SUMS_32(32));
    } else if constexpr (kCols == 128) {
        WGMMA("m64n128k16", "bf16", NAMES_0_31 ", " NAMES_32_63, "%64", "%65", "%66", "%67", SUMS_32(0), SUMS_32(32));
    } else if constexpr (kHalf) {
        WGMMA("m64n64k16", "f16", NAMES_0_31, "%32", "%33", "%34", "%35", SUMS_32(0));
    } else {
        WGMMA("m64n64k16", "bf16", NAMES_0_31, "%32", "%33", "%34", "%35", SUMS_32(0));
    }
}

template <int kPending>
__device__ void wgmma_wait() {   // until all but kPending committed groups are done
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}

struct Turn {   // the stage that is next, and the parity of its phase
    int stage;
    uint32_t parity;

    __device__ void next(int stages) {
        if (++stage == stages) {
            stage = 0;
            parity ^= 1;
        }
    }
};

// A warpgroup's 64 x kCols sums to C, 64 columns at a time through two buffers: stmatrix writes one while the copy engine empties the other.
template <typename T, int kCols>
__device__ void store_sums(const float (&d)[kCols / 2], const CUtensorMap* map, uint32_t buffers, int& buffer, int row, int col, int consumer) {
    const int t = threadIdx.x % kWarpgroup, lane = t % 32;
    const int line = t / 32 * 16 + lane % 16;   // of the buffer's 64 lines: where this lane's row of a matrix begins
    constexpr int kBytes = 64 * kStoreCols * 2;
#pragma unroll
    for (int block = 0; block < kCols / kStoreCols; ++block) {
        const uint32_t to = buffers + buffer * kBytes;
        if (t == 0) tma_stores_read<1>();
        asm volatile("bar.sync %0, 128;" ::"r"(consumer + 1) : "memory");
#pragma unroll
        for (int pair = 0; pair < kStoreCols / 16; ++pair) {   // of 8 columns each
            const float* v = d + block * (kStoreCols / 2) + pair * 8;
            const int chunk = pair * 2 + lane / 16;
            asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
                         ::"r"(to + line * 128 + (chunk ^ (line & 7)) * 16), "r"(pack<T>(v[0], v[1])), "r"(pack<T>(v[2], v[3])),
                         "r"(pack<T>(v[4], v[5])), "r"(pack<T>(v[6], v[7])) : "memory");
        }
        asm volatile("fence.proxy.async.shared::cta;\nbar.sync %0, 128;" ::"r"(consumer + 1) : "memory");
        if (t == 0) tma_store(map, col + block * kStoreCols, row, to);
        buffer ^= 1;
    }
}

#endif

template <typename T, typename Plan, bool kTransposed>
__global__ void __launch_bounds__((1 + kConsumers) * kWarpgroup, 1)
wgmma_kernel(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b, const __grid_constant__ CUtensorMap map_c,
             const T* c, Problem p, int64_t group) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    constexpr int kCols = Plan::kCols, kCluster = Plan::kCluster, kStages = Plan::kStages;
    constexpr int kBox = kBlockDepth * 128;   // bytes of a box of 64 columns of a B that runs along N
    extern __shared__ unsigned char dynamic[];
    __shared__ uint64_t full[kStages], empty[kStages];
    const uint32_t tiles_a = (shared_address(dynamic) + 1023) / 1024 * 1024;
    const uint32_t tiles_b = tiles_a + kStages * Plan::kBytesA, stores = tiles_b + kStages * Plan::kBytesB;

    int rank = 0;
    if constexpr (kCluster > 1) asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        for (int s = 0; s < kStages; ++s) {
            barrier_init(&full[s], 1);
            barrier_init(&empty[s], kConsumers * kCluster);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    if constexpr (kCluster > 1) cluster_barrier();
    else __syncthreads();

    const int64_t rows = pieces(p.m, kBlockRows * kCluster), cols = pieces(p.n, kCols);
    const int steps = (int)pieces(p.k, kBlockDepth);
    const int warpgroup = threadIdx.x / kWarpgroup;
    Turn turn = {0, 0};

    if (warpgroup == 0) {   // the producer: one thread
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0) {
            for (int64_t tile = blockIdx.x / kCluster; tile < rows * cols; tile += gridDim.x / kCluster) {
                const Place place = place_of(tile, rows, cols, group);
                const int row = (int)(place.row * kCluster + rank) * kBlockRows, col = (int)place.col * kCols;
                for (int step = 0; step < steps; ++step) {
                    uint64_t* here = &full[turn.stage];
                    barrier_wait(&empty[turn.stage], turn.parity ^ 1);   // by every block that B's part is sent to
                    barrier_expect(here, Plan::kBytesA + Plan::kBytesB);
                    tma_load(tiles_a + turn.stage * Plan::kBytesA, &map_a, step * kBlockDepth, row, here);
                    const uint32_t to = tiles_b + turn.stage * Plan::kBytesB;
                    constexpr int kPart = kCols / kCluster;   // the columns of C that this block fetches for all
                    if constexpr (kTransposed) {
                        const uint32_t place_b = to + rank * kPart * 128;
                        if constexpr (kCluster > 1) tma_load_multicast(place_b, &map_b, step * kBlockDepth, col + rank * kPart, here, (1 << kCluster) - 1);
                        else tma_load(place_b, &map_b, step * kBlockDepth, col, here);
                    } else {
#pragma unroll
                        for (int box = 0; box < kPart / 64; ++box) {
                            const int number = rank * (kPart / 64) + box;
                            if constexpr (kCluster > 1) tma_load_multicast(to + number * kBox, &map_b, col + number * 64, step * kBlockDepth, here, (1 << kCluster) - 1);
                            else tma_load(to + number * kBox, &map_b, col + number * 64, step * kBlockDepth, here);
                        }
                    }
                    turn.next(kStages);
                }
            }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        const int consumer = warpgroup - 1, t = threadIdx.x % kWarpgroup;
        float d[kCols / 2];
        int buffer = 0;
        const uint32_t my_stores = stores + consumer * 2 * Plan::kBytesC;
        auto release = [&](int stage) {   // one thread for each block of the cluster
            if (t < kCluster) barrier_arrive_at(&empty[stage], kCluster > 1 ? t : 0);
        };
        for (int64_t tile = blockIdx.x / kCluster; tile < rows * cols; tile += gridDim.x / kCluster) {
            const Place place = place_of(tile, rows, cols, group);
            const int row = (int)(place.row * kCluster + rank) * kBlockRows + consumer * 64, col = (int)place.col * kCols;
            int before = 0;   // the stage that the previous step read
            for (int step = 0; step < steps; ++step) {
                barrier_wait(&full[turn.stage], turn.parity);
                const uint64_t a = descriptor(tiles_a + turn.stage * Plan::kBytesA + consumer * 64 * 128, 16);
                const uint64_t b = descriptor(tiles_b + turn.stage * Plan::kBytesB, kTransposed ? 16 : kBox);
                asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
                for (int k = 0; k < kBlockDepth / 16; ++k) {   // 32 bytes along a row, or 16 rows down
                    wgmma<T, kCols, kTransposed>(d, a + k * 32 / 16, b + k * (kTransposed ? 32 : 16 * 128) / 16, step + k > 0);
                }
                asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
                wgmma_wait<1>();   // for the previous step; this one goes on
                if (step > 0) release(before);
                before = turn.stage;
                turn.next(kStages);
            }
            wgmma_wait<0>();
            release(before);
#pragma unroll
            for (int i = 0; i < kCols / 2; ++i) {
                asm volatile("" : "+f"(d[i])::"memory");   // nobody reads the sums before the wait
                d[i] *= p.alpha;
            }
            if (p.beta != 0.0f) {
                const int r0 = row + t / 32 * 16 + t % 32 / 4, c0 = col + t % 4 * 2;
#pragma unroll
                for (int i = 0; i < kCols / 2; ++i) {   // of each four sums two lie in row r0, two in the row that is eight further down
                    const int r = r0 + i / 2 % 2 * 8, at = c0 + i / 4 * 8 + i % 2;
                    if (r < p.m && at < p.n) d[i] += p.beta * widen(c[r * p.ldc + at]);
                }
            }
            store_sums<T, kCols>(d, &map_c, my_stores, buffer, row, col, consumer);
        }
        if (t == 0) tma_stores_read<0>();   // shared memory is not given back before
    }
    if constexpr (kCluster > 1) cluster_barrier();   // nobody leaves while a neighbour may still arrive at its barriers
#endif
}

// ---------------------------------------------------------------------------------------------------- the host's side

using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*, const cuuint64_t*, const cuuint32_t*,
                            const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

static Encode driver_encode() {   // cuTensorMapEncodeTiled, without linking to libcuda; null where the driver has none
    void* found = nullptr;
    cudaDriverEntryPointQueryResult how;
#if CUDART_VERSION >= 12050
    const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &how);
#else
    const cudaError_t error = cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &found, cudaEnableDefault, &how);
#endif
    return error == cudaSuccess && how == cudaDriverEntryPointSuccess ? (Encode)found : nullptr;
}

// What the copy engine needs to know of a matrix: where it is, its size, and that boxes of 64 columns by `box_rows` are asked for.
template <typename T>
static bool describe(Encode encode, CUtensorMap* map, const T* base, int64_t rows, int64_t cols, int64_t stride, int box_rows) {
    const cuuint64_t sizes[2] = {(cuuint64_t)cols, (cuuint64_t)rows}, strides[1] = {(cuuint64_t)stride * sizeof(T)};
    const cuuint32_t box[2] = {64, (cuuint32_t)box_rows}, every[2] = {1, 1};
    const CUtensorMapDataType type = kSame<T, __half> ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    return encode(map, type, 2, (void*)base, sizes, strides, box, every, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                  CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

struct Device {
    int id, multiprocessors, shared, major;
};

static cudaError_t ask(Device* device) {
    cudaError_t error = cudaGetDevice(&device->id);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&device->multiprocessors, cudaDevAttrMultiProcessorCount, device->id);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&device->shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device->id);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&device->major, cudaDevAttrComputeCapabilityMajor, device->id);
    return error;
}

template <typename T, typename Plan, bool kTransposed>
static cudaError_t launch_wgmma(Encode encode, const Device& device, const T* a, const T* b, T* c, const Problem& p, int64_t group, cudaStream_t stream) {
    CUtensorMap map_a, map_b, map_c;
    const bool described = describe(encode, &map_a, a, p.m, p.k, p.lda, kBlockRows) && describe(encode, &map_c, c, p.m, p.n, p.ldc, 64) &&
                           (kTransposed ? describe(encode, &map_b, b, p.n, p.k, p.ldb, Plan::kCols / Plan::kCluster)
                                        : describe(encode, &map_b, b, p.k, p.n, p.ldb, kBlockDepth));
    if (!described) return cudaErrorInvalidValue;
    const auto kernel = wgmma_kernel<T, Plan, kTransposed>;
    cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Plan::kShared);
    if (error != cudaSuccess) return error;

    const int64_t tiles = pieces(p.m, kBlockRows * Plan::kCluster) * pieces(p.n, Plan::kCols), most = device.multiprocessors / Plan::kCluster;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = Plan::kCluster;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)((tiles < most ? tiles : most) * Plan::kCluster));
    config.blockDim = dim3((1 + kConsumers) * kWarpgroup);
    config.dynamicSmemBytes = Plan::kShared;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, map_a, map_b, map_c, (const T*)c, p, group);
}

template <typename T, typename Tile, bool kTransposed, int kAlign>
static cudaError_t launch_mma(const T* a, const T* b, T* c, const Problem& p, int64_t group, cudaStream_t stream) {
    const auto kernel = mma_kernel<T, Tile, kTransposed, kAlign>;
    cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Tile::kShared);
    if (error != cudaSuccess) return error;
    const int64_t rows = pieces(p.m, Tile::kRows), cols = pieces(p.n, Tile::kCols);
    if (rows * cols > 2147483647) return cudaErrorInvalidConfiguration;
    const bool in_pairs = (uintptr_t)c % 4 == 0 && p.ldc % 2 == 0;
    kernel<<<(unsigned)(rows * cols), Tile::kThreads, Tile::kShared, stream>>>(a, b, c, p, group, in_pairs);
    return cudaGetLastError();
}

using Wide = Plan<256, 2, 4>;
using Single = Plan<256, 1, 4>;   // where every block has one tile alone, blocks need not wait for each other
using Middle = Plan<128, 2, 6>;
using Narrow = Plan<64, 1, 8>;
using Large = Tile<128, 256, 32, 64, 64, 4>;
using Small = Tile<64, 64, 32, 32, 32, 4>;

template <typename T, bool kTransposed>
static cudaError_t multiply(const T* a, const T* b, T* c, const Problem& p, cudaStream_t stream) {
    Device device;
    cudaError_t error = ask(&device);
    if (error != cudaSuccess) return error;

    const auto aligned = [&](int64_t elements) {   // whether all rows begin on boundaries of that many elements
        const uintptr_t bytes = (uintptr_t)elements * sizeof(T);
        return (uintptr_t)a % bytes == 0 && (uintptr_t)b % bytes == 0 && p.lda % elements == 0 && p.ldb % elements == 0;
    };
    const bool small_enough = p.m < 1 << 30 && p.n < 1 << 30 && p.k < 1 << 30;   // a box's corner is told in int
    if (device.major == 9 && p.k > 0 && small_enough && aligned(8) && (uintptr_t)c % 16 == 0 && p.ldc % 8 == 0) {
        cudaFuncAttributes compiled;   // a build for plain sm_90 leaves the kernel empty, without its barriers
        error = cudaFuncGetAttributes(&compiled, wgmma_kernel<T, Wide, kTransposed>);
        if (error != cudaSuccess) return error;
        const Encode encode = compiled.sharedSizeBytes > 0 ? driver_encode() : nullptr;
        if (encode) {
            // The time of a plan: rounds of tiles, each as long as its columns of C, and 32 columns more for its beginning and end.
            const auto rounds = [&](int cols, int cluster) {
                return (double)pieces(pieces(p.m, kBlockRows * cluster) * pieces(p.n, cols), device.multiprocessors / cluster);
            };
            const double wide = rounds(256, 2) * (256 + 32), middle = rounds(128, 2) * (128 * 1.05 + 32), narrow = rounds(64, 1) * (64 * 1.3 + 32);
            const bool once = pieces(p.m, kBlockRows) * pieces(p.n, 256) <= device.multiprocessors;
            if (wide <= middle && wide <= narrow && once) return launch_wgmma<T, Single, kTransposed>(encode, device, a, b, c, p, 16, stream);
            if (wide <= middle && wide <= narrow) return launch_wgmma<T, Wide, kTransposed>(encode, device, a, b, c, p, 8, stream);
            if (middle <= narrow) return launch_wgmma<T, Middle, kTransposed>(encode, device, a, b, c, p, 8, stream);
            return launch_wgmma<T, Narrow, kTransposed>(encode, device, a, b, c, p, 16, stream);
        }
    }
    const int64_t large = pieces(p.m, Large::kRows) * pieces(p.n, Large::kCols);
    if (aligned(8) && Large::kShared <= device.shared && large >= device.multiprocessors / 2) {
        return launch_mma<T, Large, kTransposed, 16>(a, b, c, p, 16, stream);
    }
    if (aligned(8)) return launch_mma<T, Small, kTransposed, 16>(a, b, c, p, 16, stream);
    if (aligned(2)) return launch_mma<T, Small, kTransposed, 4>(a, b, c, p, 16, stream);
    return launch_mma<T, Small, kTransposed, 2>(a, b, c, p, 16, stream);
}

// </gap>
template <typename T>
static cudaError_t gemm(const T* a, const T* b, T* c, const Problem& p, bool transpose_b, cudaStream_t stream) {
    if (p.m <= 0 || p.n <= 0) return cudaSuccess;
    // <gap>
    //| // TODO: a kernel, and its launch. Ragged sides, any row stride, bases that are not multiples of 16 bytes; sums in float.
    //| (void)a; (void)b; (void)c; (void)transpose_b; (void)stream;
    //| return cudaGetLastError();
    return transpose_b ? multiply<T, true>(a, b, c, p, stream) : multiply<T, false>(a, b, c, p, stream);
    // </gap>
}

extern "C" cudaError_t gemm_tensorcore_f16(const __half* a, const __half* b, __half* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb,
                                           int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    return gemm(a, b, c, {m, n, k, lda, ldb, ldc, alpha, beta}, transpose_b != 0, stream);
}

extern "C" cudaError_t gemm_tensorcore_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int64_t m, int64_t n, int64_t k,
                                            int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    return gemm(a, b, c, {m, n, k, lda, ldb, ldc, alpha, beta}, transpose_b != 0, stream);
}
