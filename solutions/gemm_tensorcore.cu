// gemm_tensorcore: C = alpha A B + beta C, or A B^T, in fp16 and bf16 on Tensor Cores; every sum is in fp32.
//
// Check: onekernel check gemm_tensorcore
// Bench: python bench/gemm.py
//
// <gap>
//| // TODO: what your kernel loads, how wide, and which unit multiplies: mma.sync with ldmatrix, or nvcuda::wmma of <mma.h>.
// Two kernels. wgmma_kernel is Hopper's (sm_90a): one thread feeds tiles through the copy engine (TMA), two warpgroups multiply straight
// from shared memory, blocks in pairs share B's tile, and each block stays for many tiles. mma_kernel is everybody else's (sm_80 and newer):
// it copies with cp.async, moves fragments with ldmatrix and multiplies with mma.sync.
//
// Both read 16 bytes at a time. A matrix whose rows begin elsewhere is copied first, to memory of the stream: 4 bytes of traffic an element,
// which a product of n^3 multiplies n times. Where C has fewer tiles than the card has multiprocessors, K is divided among blocks as well:
// each writes its sums in fp32, and a third kernel adds them, always in the same order.
//
// But: a product of 100^3 whose rows begin anywhere waits for two launches, where one that reads 2 bytes at a time would do with one.
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
    int row, col;
};

__device__ inline Place place_of(int tile, int rows, int cols, int group) {   // 32 bits: to divide 64 costs more than a small tile's products
    const int band = tile / (group * cols);
    const int first = band * group;
    const int high = rows - first < group ? rows - first : group;
    const int within = tile - first * cols;
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

// K in `parts`, each `depth` long but for the last one. The sums of several go to memory: `parts` matrices of m rows, `stride` apart.
struct Split {
    float* sums;
    int64_t parts, depth, stride;
};

// Lines `first` to first + 15 of a buffer of 64 x 64 results to C, 4 bytes a lane, wherever C's rows begin.
template <typename T>
__device__ void store_lines(uint32_t buffer, int first, T* c, const Problem& p, int64_t row, int64_t col) {
    const int lane = threadIdx.x % 32;
    const int64_t at = col + lane * 2;
#pragma unroll
    for (int line = first; line < first + 16; ++line) {
        uint32_t word;
        asm volatile("ld.shared.b32 %0, [%1];" : "=r"(word) : "r"(buffer + line * 128 + (lane / 4 ^ (line & 7)) * 16 + lane % 4 * 4) : "memory");
        const uint32_t after = __funnelshift_r(word, __shfl_down_sync(~0u, word, 1), 16);
        if (row + line >= p.m) continue;
        T* to = c + (row + line) * p.ldc + at;
        if ((uintptr_t)to % 4 == 0) {
            if (at + 1 < p.n) *(uint32_t*)to = word;
            else if (at < p.n) *(uint16_t*)to = (uint16_t)word;
        } else {   // the second of a lane's two elements goes with the next lane's first
            if (lane == 0 && at < p.n) *(uint16_t*)to = (uint16_t)word;
            if (lane < 31 && at + 2 < p.n) *(uint32_t*)(to + 1) = after;
            else if (at + 1 < p.n) *(uint16_t*)(to + 1) = (uint16_t)(word >> 16);
        }
    }
}

// ---------------------------------------------------------------------------------------------------- mma.sync: sm_80 and newer

// A block of kRows x kCols of C, kDepth of K at a time; a warp computes kWarpRows x kWarpCols of it. kBlocks share a multiprocessor.
template <int kRows_, int kCols_, int kDepth_, int kWarpRows_, int kWarpCols_, int kStages_, int kBlocks_>
struct Tile {
    static constexpr int kRows = kRows_, kCols = kCols_, kDepth = kDepth_, kStages = kStages_, kBlocks = kBlocks_;
    static constexpr int kWarpRows = kWarpRows_, kWarpCols = kWarpCols_;
    static constexpr int kThreads = 32 * (kRows / kWarpRows) * (kCols / kWarpCols);
    static constexpr int kBytesA = kRows * kDepth * 2, kBytesB = kCols * kDepth * 2;
    static constexpr int kShared = kStages * (kBytesA + kBytesB);
};

template <int number>
struct Number {
    static constexpr int value = number;
};

// An operand's tile in shared memory: kTall rows of kAcross elements, in chunks of 16 bytes; rows of more than eight chunks are cut into
// panels, one after the other. Eight rows of one column of chunks, which is what ldmatrix reads at a time, would lie in the same banks; so a
// chunk's place in its row is XORed with the row's number.
template <int kTall, int kAcross>
struct Layout {
    static constexpr int kChunks = kAcross < 64 ? kAcross / 8 : 8, kPanels = kAcross / (kChunks * 8), kPanel = kTall * kChunks * 16;
    static_assert(kChunks == 4 || kChunks == 8, "rows of 64 or of 128 bytes fill the banks");

    __host__ __device__ static constexpr uint32_t offset(int row, int chunk) {
        const int turned = kChunks == 8 ? row & 7 : row >> 1 & 3;   // two rows of four chunks fill the banks once
        return chunk / kChunks * kPanel + (row * kChunks + (chunk % kChunks ^ turned)) * 16;
    }
};

// One thread's part in copying tiles, one after the other, from rows that lie `stride` elements apart.
template <typename T, int kTall, int kAcross, int kThreads>
struct Copier {
    using Place = Layout<kTall, kAcross>;
    static constexpr int kChunks = Place::kChunks, kStep = kThreads / kChunks, kPasses = kTall / kStep, kEach = kPasses * Place::kPanels;
    static_assert(kTall % kStep == 0 && kStep % 8 == 0, "every thread copies the same column of chunks, turned by the same");

    const T* from;   // this thread's chunk of the first row that it copies
    int64_t leap;    // to the next one
    uint32_t to;
    int row, col;

    __device__ Copier(const T* tile, int64_t stride) : leap(kStep * stride), row(threadIdx.x / kChunks), col(threadIdx.x % kChunks * 8) {
        from = tile + row * stride + col;
        to = Place::offset(row, col / 8);
    }

    // Every kParts-th chunk of this thread's, from `part` on. `rows` and `cols` are what is left of the matrix, counted from this tile's corner.
    template <int kParts>
    __device__ void copy(uint32_t shared, int part, int rows, int cols) const {
#pragma unroll
        for (int i = part; i < kEach; i += kParts) {
            const int down = i % kPasses * kStep, across = i / kPasses * kChunks * 8;
            const int left = (cols - across - col) * 2, there = left < 0 ? 0 : left > 16 ? 16 : left;
            const int bytes = row + down < rows ? there : 0;   // the others of the 16 become zeros, and nothing is read where there are none
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                         ::"r"(shared + to + i / kPasses * Place::kPanel + down * kChunks * 16), "l"(from + i % kPasses * leap + across), "r"(bytes) : "memory");
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

template <typename T, typename Tile, bool kTransposed>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kBlocks)
mma_kernel(const T* a, const T* b, T* c, Problem p, int group, Split split) {
    extern __shared__ __align__(128) unsigned char shared[];
    constexpr int kDepth = Tile::kDepth, kStages = Tile::kStages, kSteps = kDepth / 16, kStage = Tile::kBytesA + Tile::kBytesB;
    static_assert(kSteps % 2 == 0, "two sets of fragments take turns");
    constexpr int kTallB = kTransposed ? Tile::kCols : kDepth, kAcrossB = kTransposed ? kDepth : Tile::kCols;
    using LayoutA = Layout<Tile::kRows, kDepth>;
    using LayoutB = Layout<kTallB, kAcrossB>;

    const Place place = place_of(blockIdx.x, (int)pieces(p.m, Tile::kRows), (int)pieces(p.n, Tile::kCols), group);
    const int64_t row = (int64_t)place.row * Tile::kRows, col = (int64_t)place.col * Tile::kCols, k_first = blockIdx.y * split.depth;
    const int rows_left = (int)min(p.m - row, (int64_t)Tile::kRows), cols_left = (int)min(p.n - col, (int64_t)Tile::kCols);
    int64_t k_left = min(p.k - k_first, split.depth);   // of what is not yet being copied
    const int tiles = (int)pieces(k_left, kDepth);
    Copier<T, Tile::kRows, kDepth, Tile::kThreads> copier_a(a + row * p.lda + k_first, p.lda);
    Copier<T, kTallB, kAcrossB, Tile::kThreads> copier_b(kTransposed ? b + col * p.ldb + k_first : b + k_first * p.ldb + col, p.ldb);
    const uint32_t first = shared_address(shared), last = first + (kStages - 1) * kStage;
    uint32_t filled = first;   // the stage that the next copy goes to

    auto copy = [&](auto parts, int part) {   // beyond the end of K it writes zeros
        constexpr int kParts = decltype(parts)::value;
        const int k = (int)max(min(k_left, (int64_t)kDepth), (int64_t)0);
        copier_a.template copy<kParts>(filled, part, rows_left, k);
        copier_b.template copy<kParts>(filled + Tile::kBytesA, part, kTransposed ? cols_left : k, kTransposed ? k : cols_left);
        if (part < kParts - 1) return;
        copier_a.from += kDepth;
        copier_b.from += kTransposed ? kDepth : kDepth * p.ldb;
        k_left -= kDepth;
        filled = filled == last ? first : filled + kStage;
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    for (int s = 0; s < kStages - 1; ++s) copy(Number<1>{}, 0);
    asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2) : "memory");
    __syncthreads();

    // Where this lane's rows of the matrices lie that ldmatrix reads: 16 of K further on is an XOR of the chunk, or 16 rows; nothing carries.
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, line = lane % 16, half = lane / 16;
    constexpr int kWarpsAcross = Tile::kCols / Tile::kWarpCols, kHigh = Tile::kWarpRows / 16, kWide = Tile::kWarpCols / 16;
    const int warp_row = warp / kWarpsAcross * Tile::kWarpRows, warp_col = warp % kWarpsAcross * Tile::kWarpCols;
    const uint32_t at_a = LayoutA::offset(warp_row + line, half);
    uint32_t at_b[kWide];
#pragma unroll
    for (int j = 0; j < kWide; ++j) {
        if constexpr (kTransposed) at_b[j] = Tile::kBytesA + LayoutB::offset(warp_col + j * 16 + half * 8 + lane % 8, lane / 8 % 2);
        else at_b[j] = Tile::kBytesA + LayoutB::offset(line, (warp_col + j * 16) / 8 + half);
    }
    uint32_t fragments_a[2][kHigh][4], fragments_b[2][kWide][4];   // of 16 of K: what is multiplied, and what is being read
    auto load_a = [&](int set, int i, uint32_t stage, int step) {
        load_matrices(fragments_a[set][i], ((stage + at_a) ^ step * 32) + i * 16 * LayoutA::kChunks * 16);
    };
    auto load_b = [&](int set, int j, uint32_t stage, int step) {   // a B that lies as columns of C by K lies as the multiplier wants it
        if constexpr (kTransposed) load_matrices(fragments_b[set][j], (stage + at_b[j]) ^ step * 32);
        else load_matrices_transposed(fragments_b[set][j], stage + at_b[j] + step * 16 * LayoutB::kChunks * 16);
    };

    float sums[kHigh][kWide * 2][4] = {};
    uint32_t stage = first;
#pragma unroll
    for (int i = 0; i < kHigh; ++i) load_a(0, i, stage, 0);
#pragma unroll
    for (int j = 0; j < kWide; ++j) load_b(0, j, stage, 0);

    // A tile's last step reads the first fragments of the next tile. So the barrier comes a whole tile before anybody needs what it waits
    // for, and no branch lies between loads and multiplications: the assembler moves loads among them. After the last tile come zeros.
#pragma unroll 1
    for (int tile = 0; tile < tiles; ++tile) {
        asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 3) : "memory");   // the next tile is there
        __syncthreads();                                                         // everybody's part of it; and nobody reads the previous one
        const uint32_t next = stage == last ? first : stage + kStage;
#pragma unroll
        for (int step = 0; step < kSteps; ++step) {
            const int now = step % 2, then = 1 - now;
            const uint32_t from = step == kSteps - 1 ? next : stage;
#pragma unroll
            for (int i = 0; i < kHigh; ++i) {
                load_a(then, i, from, (step + 1) % kSteps);
#pragma unroll
                for (int j = i * kWide / kHigh; j < (i + 1) * kWide / kHigh; ++j) load_b(then, j, from, (step + 1) % kSteps);
                if (i == kHigh - 1) copy(Number<kSteps>{}, step);   // a part of the tile that takes the previous one's place
#pragma unroll
                for (int j = 0; j < kWide * 2; ++j) {
                    const int across = i % 2 ? kWide * 2 - 1 - j : j;   // there and back: the last column's fragment is used again at once
                    mma<T>(sums[i][across], fragments_a[now][i], fragments_b[now][across / 2][across % 2 * 2],
                           fragments_b[now][across / 2][across % 2 * 2 + 1]);
                }
            }
        }
        stage = next;
    }

    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();   // the stages are free: each warp takes 16 lines of 64 results through 2 KB of them
    const uint32_t buffer = first + warp * 2048;
#pragma unroll
    for (int i = 0; i < kHigh; ++i) {
#pragma unroll
        for (int block = 0; block < kWide / 4; ++block) {
            const int64_t r0 = row + warp_row + i * 16, c0 = col + warp_col + block * 64;
#pragma unroll
            for (int j = 0; j < 16; ++j) {   // of each four sums two lie in one row, two in the row that is eight further down
                const int r = j % 2 * 8 + lane / 4;
                const int64_t at = c0 + j / 2 * 8 + lane % 4 * 2;
                const float* d = sums[i][block * 8 + j / 2] + j % 2 * 2;
                if (split.parts > 1) {
                    if (r0 + r < p.m && at < p.n) *(float2*)(split.sums + (blockIdx.y * p.m + r0 + r) * split.stride + at) = make_float2(d[0], d[1]);
                    continue;
                }
                float low = p.alpha * d[0], high = p.alpha * d[1];
                if (p.beta != 0.0f && r0 + r < p.m) {
                    const T* from = c + (r0 + r) * p.ldc + at;
                    if (at < p.n) low += p.beta * widen(from[0]);
                    if (at + 1 < p.n) high += p.beta * widen(from[1]);
                }
                asm volatile("st.shared.b32 [%0], %1;" ::"r"(buffer + r * 128 + (j / 2 ^ (r & 7)) * 16 + lane % 4 * 4), "r"(pack<T>(low, high)) : "memory");
            }
            if (split.parts > 1) continue;
            __syncwarp();
            store_lines(buffer, 0, c, p, r0, c0);
            __syncwarp();   // before the next ones are written there
        }
    }
}

// ---------------------------------------------------------------------------------------------------- wgmma: sm_90a

constexpr int kBlockDepth = 64;    // of K in a stage: 128 bytes, the widest row that the copy engine swizzles
constexpr int kWarpgroup = 128;    // threads that issue a wgmma together
constexpr int kStoreCols = 64;     // of C in one store of the copy engine, again 128 bytes

// A block's columns of C; blocks that share B's tile; tiles under way; warpgroups that multiply, with 64 rows of C each.
template <int kCols_, int kCluster_, int kStages_, int kConsumers_>
struct Plan {
    static constexpr int kCols = kCols_, kCluster = kCluster_, kStages = kStages_, kConsumers = kConsumers_;
    static constexpr int kRows = kConsumers * 64, kThreads = (1 + kConsumers) * kWarpgroup;
    static constexpr int kBytesA = kRows * kBlockDepth * 2, kBytesB = kCols * kBlockDepth * 2;
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
#define NAMES_64_95 \
    "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, " \
    "%86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define NAMES_96_127 \
    "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, " \
    "%118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
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
        WGMMA("m64n256k16", "f16", NAMES_0_31 ", " NAMES_32_63 ", " NAMES_64_95 ", " NAMES_96_127, "%128", "%129", "%130", "%131", SUMS_32(0), SUMS_32(32),
              SUMS_32(64), SUMS_32(96));
    } else if constexpr (kCols == 256) {
        WGMMA("m64n256k16", "bf16", NAMES_0_31 ", " NAMES_32_63 ", " NAMES_64_95 ", " NAMES_96_127, "%128", "%129", "%130", "%131", SUMS_32(0), SUMS_32(32),
              SUMS_32(64), SUMS_32(96));
    } else if constexpr (kCols == 192 && kHalf) {
        WGMMA("m64n192k16", "f16", NAMES_0_31 ", " NAMES_32_63 ", " NAMES_64_95, "%96", "%97", "%98", "%99", SUMS_32(0), SUMS_32(32), SUMS_32(64));
    } else if constexpr (kCols == 192) {
        WGMMA("m64n192k16", "bf16", NAMES_0_31 ", " NAMES_32_63 ", " NAMES_64_95, "%96", "%97", "%98", "%99", SUMS_32(0), SUMS_32(32), SUMS_32(64));
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

// A warpgroup's 64 x kCols sums to C, 64 columns at a time through two buffers: stmatrix writes one while the copy engine empties the other,
// or each warp its own lines where C's rows begin where the copy engine cannot write.
template <typename T, int kCols>
__device__ void store_sums(const float (&d)[kCols / 2], const CUtensorMap* map, T* c, const Problem& p, bool by_tma, uint32_t buffers,
                           int& buffer, int row, int col, int consumer) {
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
        if (!by_tma) store_lines(to, t / 32 * 16, c, p, row, col + block * kStoreCols);
        else if (t == 0) tma_store(map, col + block * kStoreCols, row, to);
        buffer ^= 1;
    }
}

#endif

template <typename T, typename Plan, bool kTransposed>
__global__ void __launch_bounds__(Plan::kThreads, 1)
wgmma_kernel(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b, const __grid_constant__ CUtensorMap map_c,
             T* c, Problem p, int group, Split split, bool by_tma) {
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
            barrier_init(&empty[s], Plan::kConsumers * kCluster);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    if constexpr (kCluster > 1) cluster_barrier();
    else __syncthreads();

    const int rows = (int)pieces(p.m, Plan::kRows * kCluster), cols = (int)pieces(p.n, kCols);
    const int64_t k_first = blockIdx.y * split.depth;
    const int first = (int)(k_first / kBlockDepth), steps = (int)pieces(min(split.depth, p.k - k_first), kBlockDepth);
    const int warpgroup = threadIdx.x / kWarpgroup;
    Turn turn = {0, 0};

    if (warpgroup == 0) {   // the producer: one thread
        if constexpr (Plan::kConsumers > 1) asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0) {
            for (int tile = blockIdx.x / kCluster; tile < rows * cols; tile += gridDim.x / kCluster) {
                const Place place = place_of(tile, rows, cols, group);
                const int row = (place.row * kCluster + rank) * Plan::kRows, col = place.col * kCols;
                for (int step = first; step < first + steps; ++step) {
                    uint64_t* here = &full[turn.stage];
                    barrier_wait(&empty[turn.stage], turn.parity ^ 1);   // by every block that B's part is sent to
                    barrier_expect(here, Plan::kBytesA + Plan::kBytesB);
                    tma_load(tiles_a + turn.stage * Plan::kBytesA, &map_a, step * kBlockDepth, row, here);
                    const uint32_t to = tiles_b + turn.stage * Plan::kBytesB;
                    if constexpr (kTransposed) {
                        constexpr int kPart = kCols / kCluster;   // the columns of C that this block fetches for all
                        const uint32_t place_b = to + rank * kPart * 128;
                        if constexpr (kCluster > 1) tma_load_multicast(place_b, &map_b, step * kBlockDepth, col + rank * kPart, here, (1 << kCluster) - 1);
                        else tma_load(place_b, &map_b, step * kBlockDepth, col, here);
                    } else {
#pragma unroll
                        for (int box = 0; box < kCols / 64; ++box) {   // the blocks of the cluster take turns
                            if (box % kCluster != rank) continue;
                            if constexpr (kCluster > 1) tma_load_multicast(to + box * kBox, &map_b, col + box * 64, step * kBlockDepth, here, (1 << kCluster) - 1);
                            else tma_load(to + box * kBox, &map_b, col + box * 64, step * kBlockDepth, here);
                        }
                    }
                    turn.next(kStages);
                }
            }
        }
    } else {
        if constexpr (Plan::kConsumers > 1) asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        const int consumer = warpgroup - 1, t = threadIdx.x % kWarpgroup;
        float d[kCols / 2];
        int buffer = 0;
        const uint32_t my_stores = stores + consumer * 2 * Plan::kBytesC;
        auto release = [&](int stage) {   // one thread for each block of the cluster
            if (t < kCluster) barrier_arrive_at(&empty[stage], kCluster > 1 ? t : 0);
        };
        for (int tile = blockIdx.x / kCluster; tile < rows * cols; tile += gridDim.x / kCluster) {
            const Place place = place_of(tile, rows, cols, group);
            const int row = (place.row * kCluster + rank) * Plan::kRows + consumer * 64, col = place.col * kCols;
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
            }
            const int r0 = row + t / 32 * 16 + t % 32 / 4, c0 = col + t % 4 * 2;   // of each four sums two lie in row r0, two in row r0 + 8
            if (split.parts > 1) {
                float* to = split.sums + blockIdx.y * p.m * split.stride;
#pragma unroll
                for (int i = 0; i < kCols / 2; i += 2) {
                    const int r = r0 + i / 2 % 2 * 8, at = c0 + i / 4 * 8;
                    if (r < p.m && at < p.n) *(float2*)(to + r * split.stride + at) = make_float2(d[i], d[i + 1]);
                }
                continue;
            }
#pragma unroll
            for (int i = 0; i < kCols / 2; ++i) d[i] *= p.alpha;
            if (p.beta != 0.0f) {
#pragma unroll
                for (int i = 0; i < kCols / 2; ++i) {
                    const int r = r0 + i / 2 % 2 * 8, at = c0 + i / 4 * 8 + i % 2;
                    if (r < p.m && at < p.n) d[i] += p.beta * widen(c[r * p.ldc + at]);
                }
            }
            store_sums<T, kCols>(d, &map_c, c, p, by_tma, my_stores, buffer, row, col, consumer);
        }
        if (t == 0) tma_stores_read<0>();   // shared memory is not given back before
    }
    if constexpr (kCluster > 1) cluster_barrier();   // nobody leaves while a neighbour may still arrive at its barriers
#endif
}

// ---------------------------------------------------------------------------------------------------- before and after

// A matrix whose rows begin anywhere, and one whose rows begin on 16-byte boundaries. 2^shift threads of a block lie side by side.
struct Alignment {
    uint16_t* to;
    const uint16_t* from;
    int64_t to_stride, from_stride, rows, cols;
    int shift;
};
struct Alignments {
    Alignment of[2];
};

constexpr int kAlignThreads = 256, kAlignRows = 4;   // that a thread copies, all of them on their way at once

// Two elements a thread, read and written as one word. In a row that begins in the middle of a word a thread reads its second element and
// the one after that; it gets its first from the thread before it.
__global__ void __launch_bounds__(kAlignThreads) align_kernel(const __grid_constant__ Alignments all) {
    const Alignment& m = all.of[blockIdx.y];
    const int high = kAlignThreads >> m.shift, place = threadIdx.x & ((1 << m.shift) - 1);
    const int64_t across = pieces(m.cols, (int64_t)2 << m.shift);
    const int64_t row = blockIdx.x / across * (high * kAlignRows) + (threadIdx.x >> m.shift), col = ((blockIdx.x % across << m.shift) + place) * 2;
    const uint16_t* from = m.from + row * m.from_stride + col;
    uint16_t* to = m.to + row * m.to_stride + col;
    const bool begins = place == 0 || threadIdx.x % 32 == 0;   // there is no thread before it, of its row and its warp
    uint32_t words[kAlignRows], firsts[kAlignRows];
#pragma unroll
    for (int i = 0; i < kAlignRows; ++i) {
        const uint16_t* at = from + i * high * m.from_stride;
        const int inside = (uintptr_t)at % 4 / 2;   // of a word
        const int64_t left = row + i * high < m.rows ? m.cols - col - inside : 0;
        words[i] = left > 1 ? *(const uint32_t*)(at + inside) : left == 1 ? at[inside] : 0;
        firsts[i] = inside && begins && col < m.cols && row + i * high < m.rows ? at[0] : 0;
    }
#pragma unroll
    for (int i = 0; i < kAlignRows; ++i) {
        const bool inside = (uintptr_t)(from + i * high * m.from_stride) % 4 != 0;
        const uint32_t before = __shfl_up_sync(~0u, words[i], 1) >> 16;
        const uint32_t first = begins ? firsts[i] : before;
        if (row + i * high < m.rows && col < m.cols) *(uint32_t*)(to + i * high * m.to_stride) = inside ? first | words[i] << 16 : words[i];
    }
}

// C = alpha (the sum of the parts) + beta C: a thread two columns of the parts that threadIdx.y says. The order is always the same.
template <typename T>
__global__ void __launch_bounds__(256) reduce_kernel(Split split, T* c, Problem p) {
    __shared__ float2 others[256];
    const int64_t wide = split.stride / 2, pairs = p.m * wide, pair = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t each = pieces(split.parts, blockDim.y), first = threadIdx.y * each, end = min(first + each, split.parts);
    float2 sum = make_float2(0.0f, 0.0f);
    if (pair < pairs) {
        const float2* from = (const float2*)split.sums + pair;
#pragma unroll 8
        for (int64_t part = first; part < end; ++part) {
            const float2 more = from[part * pairs];
            sum.x += more.x;
            sum.y += more.y;
        }
    }
    others[threadIdx.y * blockDim.x + threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y > 0 || pair >= pairs) return;
    for (int y = 1; y < blockDim.y; ++y) {
        sum.x += others[y * blockDim.x + threadIdx.x].x;
        sum.y += others[y * blockDim.x + threadIdx.x].y;
    }
    const int64_t col = pair % wide * 2;
    T* to = c + pair / wide * p.ldc + col;
    to[0] = narrow<T>(p.beta != 0.0f ? p.alpha * sum.x + p.beta * widen(to[0]) : p.alpha * sum.x);
    if (col + 1 < p.n) to[1] = narrow<T>(p.beta != 0.0f ? p.alpha * sum.y + p.beta * widen(to[1]) : p.alpha * sum.y);
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

// Memory of the stream: safe beside other streams, and in graphs; it is given back when the stream comes there. The pool gives all of it
// back to the system at each synchronization, and gets it again in up to a millisecond; so it may keep some.
constexpr uint64_t kPoolKeeps = 256 << 20;

struct Room {
    cudaStream_t stream;
    void* memory = nullptr;

    explicit Room(cudaStream_t stream) : stream(stream) {}
    Room(const Room&) = delete;
    ~Room() {
        if (memory) cudaFreeAsync(memory, stream);
    }

    cudaError_t take(int device, int64_t bytes) {
        cudaMemPool_t pool;
        uint64_t keeps = 0;
        cudaError_t error = cudaDeviceGetMemPool(&pool, device);
        if (error == cudaSuccess) error = cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keeps);
        if (error == cudaSuccess && keeps < kPoolKeeps) {
            keeps = kPoolKeeps;
            error = cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keeps);
        }
        return error == cudaSuccess ? cudaMallocAsync(&memory, bytes, stream) : error;
    }
};

static bool aligned(const void* base, int64_t stride) { return (uintptr_t)base % 16 == 0 && stride % 8 == 0; }   // every row of 16-bit elements

// A and B as the kernels want them: where they are, or copied to `room`.
template <typename T>
static cudaError_t align(const Device& device, Room& room, const T** a, const T** b, Problem* p, int64_t b_rows, int64_t b_cols, cudaStream_t stream) {
    struct Matrix {
        const T** base;
        int64_t *stride, rows, cols;
    };
    const Matrix both[2] = {{a, &p->lda, p->m, p->k}, {b, &p->ldb, b_rows, b_cols}};
    Alignments all;
    int count = 0;
    int64_t bytes = 0, blocks = 0;
    for (const Matrix& m : both) {
        if (!aligned(*m.base, *m.stride)) bytes += m.rows * pieces(m.cols, 8) * 16;
    }
    if (bytes == 0) return cudaSuccess;
    const cudaError_t error = room.take(device.id, bytes);
    if (error != cudaSuccess) return error;
    T* to = (T*)room.memory;
    for (const Matrix& m : both) {
        if (aligned(*m.base, *m.stride)) continue;
        const int64_t stride = pieces(m.cols, 8) * 8;
        int shift = 0;
        while (kAlignThreads >> shift > 1 && (int64_t)2 << shift < m.cols) ++shift;
        const int64_t needed = pieces(m.cols, (int64_t)2 << shift) * pieces(m.rows, (kAlignThreads >> shift) * kAlignRows);
        if (needed > blocks) blocks = needed;
        all.of[count++] = {(uint16_t*)to, (const uint16_t*)*m.base, stride, *m.stride, m.rows, m.cols, shift};
        *m.base = to;
        *m.stride = stride;
        to += m.rows * stride;
    }
    if (blocks > 2147483647) return cudaErrorInvalidConfiguration;
    align_kernel<<<dim3((unsigned)blocks, count), kAlignThreads, 0, stream>>>(all);
    return cudaGetLastError();
}

template <typename T>
static cudaError_t reduce(const Split& split, T* c, const Problem& p, cudaStream_t stream) {
    const unsigned slices = split.parts < 16 ? 1 : 4, across = 256 / slices;   // many parts are shared out among more threads
    const int64_t blocks = pieces(p.m * (split.stride / 2), across);
    if (blocks > 2147483647) return cudaErrorInvalidConfiguration;
    reduce_kernel<<<(unsigned)blocks, dim3(across, slices), 0, stream>>>(split, c, p);
    return cudaGetLastError();
}

// Room for the sums of `parts` parts of K, each of whole steps of `step`.
static cudaError_t divide(const Device& device, Room& room, const Problem& p, int64_t parts, int64_t step, Split* split) {
    const int64_t depth = pieces(pieces(p.k, step), parts) * step;
    *split = {nullptr, pieces(p.k, depth), depth, pieces(p.n, 2) * 2};
    if (split->parts == 1) return cudaSuccess;
    const cudaError_t error = room.take(device.id, split->parts * p.m * split->stride * (int64_t)sizeof(float));
    split->sums = (float*)room.memory;
    return error;
}

template <typename T, typename Plan, bool kTransposed>
static cudaError_t launch_wgmma(Encode encode, const Device& device, const T* a, const T* b, T* c, const Problem& p, int64_t parts, int group,
                                cudaStream_t stream) {
    Room room(stream);
    Split split;
    cudaError_t error = divide(device, room, p, parts, kBlockDepth, &split);
    if (error != cudaSuccess) return error;
    CUtensorMap map_a, map_b, map_c;
    const bool by_tma = split.parts == 1 && aligned(c, p.ldc) && p.n % 8 == 0;   // it stores whole 16 bytes, past the end of a row
    const bool described = describe(encode, &map_a, a, p.m, p.k, p.lda, Plan::kRows) && (!by_tma || describe(encode, &map_c, c, p.m, p.n, p.ldc, 64)) &&
                           (kTransposed ? describe(encode, &map_b, b, p.n, p.k, p.ldb, Plan::kCols / Plan::kCluster)
                                        : describe(encode, &map_b, b, p.k, p.n, p.ldb, kBlockDepth));
    if (!described) return cudaErrorInvalidValue;
    const auto kernel = wgmma_kernel<T, Plan, kTransposed>;
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Plan::kShared);
    if (error != cudaSuccess) return error;

    const int64_t rows = pieces(p.m, Plan::kRows * Plan::kCluster), tiles = rows * pieces(p.n, Plan::kCols);
    if (tiles > 1 << 30) return cudaErrorInvalidConfiguration;
    const int64_t most = device.multiprocessors / Plan::kCluster;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = Plan::kCluster;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)((tiles < most ? tiles : most) * Plan::kCluster), (unsigned)split.parts);
    config.blockDim = dim3(Plan::kThreads);
    config.dynamicSmemBytes = Plan::kShared;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    error = cudaLaunchKernelEx(&config, kernel, map_a, map_b, map_c, c, p, (int)(rows < group ? rows : group), split, by_tma);
    return error == cudaSuccess && split.parts > 1 ? reduce(split, c, p, stream) : error;
}

template <typename T, typename Tile, bool kTransposed>
static cudaError_t launch_mma(const Device& device, const T* a, const T* b, T* c, const Problem& p, int64_t parts, cudaStream_t stream) {
    Room room(stream);
    Split split;
    cudaError_t error = divide(device, room, p, parts, Tile::kDepth, &split);
    if (error != cudaSuccess) return error;
    error = cudaFuncSetAttribute(mma_kernel<T, Tile, kTransposed>, cudaFuncAttributeMaxDynamicSharedMemorySize, Tile::kShared);
    if (error != cudaSuccess) return error;
    const int64_t rows = pieces(p.m, Tile::kRows), tiles = rows * pieces(p.n, Tile::kCols);
    if (tiles > 2147483647) return cudaErrorInvalidConfiguration;
    const dim3 grid((unsigned)tiles, (unsigned)split.parts);
    mma_kernel<T, Tile, kTransposed><<<grid, Tile::kThreads, Tile::kShared, stream>>>(a, b, c, p, (int)(rows < 16 ? rows : 16), split);
    error = cudaGetLastError();
    return error == cudaSuccess && split.parts > 1 ? reduce(split, c, p, stream) : error;
}

using Wide = Plan<256, 2, 4, 2>;
using Single = Plan<256, 1, 4, 2>;   // where every block has one tile alone, blocks need not wait for each other
using Three = Plan<192, 2, 4, 2>;
using Middle = Plan<128, 2, 6, 2>;
using Narrow = Plan<64, 1, 8, 2>;
using Low = Plan<128, 1, 8, 1>;   // few rows: most of what a block waits for is B
using Large = Tile<128, 256, 32, 64, 64, 6, 1>;
using Lean = Tile<128, 256, 32, 64, 64, 4, 1>;   // the same, where a block may have 99 KB of shared memory
using Small = Tile<64, 64, 32, 16, 64, 4, 4>;

// How long a plan takes, in ns on one H200: rounds of tiles, and of each step of K as long as its columns of C and 32 more for what is not
// multiplication. In how many parts of K: as many as the multiprocessors hold, if what that saves pays for adding them.
struct Cost {
    double time;
    int64_t parts;

    Cost(const Device& device, const Problem& p, int rows, int cols, int cluster, double weight) : parts(1) {
        const int64_t tiles = pieces(p.m, rows * cluster) * pieces(p.n, cols), slots = device.multiprocessors / cluster, steps = pieces(p.k, kBlockDepth);
        const double step = 2.5 * (cols * weight + 32);
        time = pieces(tiles, slots) * steps * step;
        const int64_t most = slots / tiles < steps / 8 ? slots / tiles : steps / 8;
        if (most < 2) return;
        const double divided = pieces(steps, most) * step + 8000 + most * p.m * p.n * 8 / 3000.0;   // a launch, and the sums at 3 TB/s
        if (divided < time) time = divided, parts = most;
    }
};

template <typename T, bool kTransposed>
static cudaError_t multiply(const T* a, const T* b, T* c, Problem p, cudaStream_t stream) {
    if (p.k <= 0) {   // the sum of no parts, whatever alpha is
        p.alpha = 0.0f;
        return reduce({nullptr, 0, 0, pieces(p.n, 2) * 2}, c, p, stream);
    }
    Device device;
    cudaError_t error = ask(&device);
    if (error != cudaSuccess) return error;
    Room room(stream);
    error = align(device, room, &a, &b, &p, kTransposed ? p.n : p.k, kTransposed ? p.k : p.n, stream);
    if (error != cudaSuccess) return error;

    const bool small_enough = p.m < 1 << 30 && p.n < 1 << 30 && p.k < 1 << 30;   // a box's corner is told in int
    if (device.major == 9 && small_enough) {
        cudaFuncAttributes compiled;   // a build for plain sm_90 leaves the kernel empty, without its barriers
        error = cudaFuncGetAttributes(&compiled, wgmma_kernel<T, Wide, kTransposed>);
        if (error != cudaSuccess) return error;
        const Encode encode = compiled.sharedSizeBytes > 0 ? driver_encode() : nullptr;
        if (encode) {
            const Cost wide(device, p, 128, 256, 2, 1.0), three(device, p, 128, 192, 2, 1.0), middle(device, p, 128, 128, 2, 1.05);
            const Cost narrow(device, p, 128, 64, 1, 1.3), low(device, p, 64, 128, 1, 0.55);
            const double best = min(min(wide.time, three.time), min(middle.time, narrow.time));
            const bool once = pieces(p.m, 128) * pieces(p.n, 256) <= device.multiprocessors;
            if (p.m <= 64 && low.time < best) return launch_wgmma<T, Low, kTransposed>(encode, device, a, b, c, p, low.parts, 16, stream);
            if (wide.time == best && once && wide.parts == 1) return launch_wgmma<T, Single, kTransposed>(encode, device, a, b, c, p, 1, 16, stream);
            if (wide.time == best) return launch_wgmma<T, Wide, kTransposed>(encode, device, a, b, c, p, wide.parts, 8, stream);
            if (three.time == best) return launch_wgmma<T, Three, kTransposed>(encode, device, a, b, c, p, three.parts, 8, stream);
            if (middle.time == best) return launch_wgmma<T, Middle, kTransposed>(encode, device, a, b, c, p, middle.parts, 8, stream);
            return launch_wgmma<T, Narrow, kTransposed>(encode, device, a, b, c, p, narrow.parts, 16, stream);
        }
    }
    // Elsewhere: large tiles where they, in parts of K of 1024 or more, occupy a third of the multiprocessors.
    const auto parts_of = [&](int64_t tiles) {
        const int64_t most = min(device.multiprocessors / tiles, p.k / 1024);
        return most < 4 ? 1 : most;
    };
    const int64_t large = pieces(p.m, Large::kRows) * pieces(p.n, Large::kCols), small = pieces(p.m, Small::kRows) * pieces(p.n, Small::kCols);
    if (large * parts_of(large) < device.multiprocessors / 3) return launch_mma<T, Small, kTransposed>(device, a, b, c, p, parts_of(small), stream);
    if (Large::kShared <= device.shared) return launch_mma<T, Large, kTransposed>(device, a, b, c, p, parts_of(large), stream);
    return launch_mma<T, Lean, kTransposed>(device, a, b, c, p, parts_of(large), stream);
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
