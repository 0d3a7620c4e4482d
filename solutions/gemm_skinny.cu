// gemm_skinny: C = alpha A B + beta C, or A B^T, where one of m, n and k is so small that memory decides; fp32, and bf16 with fp32 sums.
//
// Check: onekernel check gemm_skinny
// Bench: python bench/gemm.py
//
// <gap>
//| // TODO: which matrix is large, how often do you read it, and how wide?
// A library tunes for squares. Here the least bytes are one large matrix, read once or written once, and everything is arranged around it:
// - fp32, few columns (or few rows): a warp streams whole rows of the large operand 16 bytes a lane; the small one waits in shared memory.
// - fp32, short k: a block keeps its tiles of A and B whole and spends its life writing C, 16 bytes a thread.
// - bf16: tiles of Tensor Core fragments, as narrow as the small side; where that makes too few blocks, the blocks of a cluster divide k and
//   add their sums through each other's shared memory.
//
// But: fp32 with few rows and a B that runs along n goes the way of short k, and is no faster than a library there.
// </gap>

#include <cuda_bf16.h>
#include <cuda_runtime.h>
// <gap>
#if __CUDA_ARCH__ >= 900
#include <cooperative_groups.h>
#endif
// </gap>
#include <stdint.h>

using bf16 = __nv_bfloat16;

struct Problem {   // C (m x n) = alpha A (m x k) B + beta C; the row strides in elements
    int64_t m, n, k, lda, ldb, ldc;
    bool transpose_b;
    float alpha, beta;
};

// <gap>
static int64_t pieces(int64_t whole, int64_t piece) { return (whole + piece - 1) / piece; }

// ---------------------------------------------------------------------------------------------------- fp32: rows against a few

struct Stream {   // out[i][j] = alpha * sum over k of rows[i][k] few[j][k] + beta * out[i][j]; strides in elements
    const float *rows, *few;
    float* out;
    int64_t count, k, row_stride, few_down, few_along, out_down, out_across;
    int few_count;
    float alpha, beta;
};

constexpr int kStreamWarps = 8, kAlong = 128;   // elements of a row that a warp reads at a time, four a lane
constexpr int kSlices = 4;                      // of kAlong: what of the few rows is in shared memory at a time

__device__ inline float4 load_four(const float* from, int64_t there, bool whole) {
    if (whole && there >= 4) return *(const float4*)from;
    return make_float4(there > 0 ? from[0] : 0.0f, there > 1 ? from[1] : 0.0f, there > 2 ? from[2] : 0.0f, there > 3 ? from[3] : 0.0f);
}

template <int kHalf, int kStep, int kSums>
__device__ void exchange(float (&sums)[kSums], int lane) {
    const bool upper = lane & kStep;
#pragma unroll
    for (int i = 0; i < kHalf; ++i) {
        const float low = sums[i], high = sums[i + kHalf];
        sums[i] = (upper ? high : low) + __shfl_xor_sync(0xffffffff, upper ? low : high, kStep);
    }
}

template <int kFew, int kRows, bool kWhole>   // rows of a warp; whether each is a whole number of aligned 16-byte pieces
__global__ void __launch_bounds__(kStreamWarps * 32, 2)
stream_kernel(Stream s) {
    constexpr int kSums = kFew * kRows;
    static_assert(kSums % 32 == 0, "in the end every lane holds as many sums as every other");
    __shared__ __align__(16) float few[kFew][kAlong * kSlices];
    const int lane = threadIdx.x % 32;
    const int64_t first = ((int64_t)blockIdx.x * kStreamWarps + threadIdx.x / 32) * kRows;
    float sums[kSums] = {};
    for (int64_t k = 0; k < s.k; k += kAlong * kSlices) {
        __syncthreads();
        for (int e = threadIdx.x; e < kFew * kAlong * kSlices; e += kStreamWarps * 32) {
            const int j = s.few_along == 1 ? e / (kAlong * kSlices) : e % kFew, i = s.few_along == 1 ? e % (kAlong * kSlices) : e / kFew;
            few[j][i] = j < s.few_count && k + i < s.k ? s.few[j * s.few_down + (k + i) * s.few_along] : 0.0f;
        }
        __syncthreads();
#pragma unroll 1
        for (int slice = 0; slice < kSlices && k + slice * kAlong < s.k; ++slice) {
            const int64_t at = k + slice * kAlong + lane * 4;
            float4 of_rows[kRows];
#pragma unroll
            for (int r = 0; r < kRows; ++r) {
                const float* from = s.rows + (first + r) * s.row_stride + at;
                const int64_t there = first + r < s.count ? s.k - at : 0;
                if constexpr (kWhole) of_rows[r] = there > 0 ? __ldcs((const float4*)from) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);   // read once: not for L2
                else of_rows[r] = load_four(from, there, false);
            }
#pragma unroll
            for (int j = 0; j < kFew; ++j) {
                const float4 other = *(const float4*)&few[j][slice * kAlong + lane * 4];
#pragma unroll
                for (int r = 0; r < kRows; ++r) {
                    float& sum = sums[r * kFew + j];
                    sum += of_rows[r].x * other.x;
                    sum += of_rows[r].y * other.y;
                    sum += of_rows[r].z * other.z;
                    sum += of_rows[r].w * other.w;
                }
            }
        }
    }
    // Every sum is spread over 32 lanes. Two lanes exchange halves of what they hold, so that each holds half as many sums of twice as many
    // lanes: 62 shuffles for 64 sums instead of five for each.
    exchange<kSums / 2, 16>(sums, lane);
    exchange<kSums / 4, 8>(sums, lane);
    exchange<kSums / 8, 4>(sums, lane);
    exchange<kSums / 16, 2>(sums, lane);
    exchange<kSums / 32, 1>(sums, lane);
#pragma unroll
    for (int i = 0; i < kSums / 32; ++i) {
        const int number = lane * (kSums / 32) + i, j = number % kFew;
        const int64_t row = first + number / kFew;
        if (row < s.count && j < s.few_count) {
            float* to = &s.out[row * s.out_down + j * s.out_across];
            *to = s.beta != 0.0f ? s.alpha * sums[i] + s.beta * *to : s.alpha * sums[i];
        }
    }
}

static cudaError_t launch_stream(const Stream& s, cudaStream_t stream) {
    const bool whole = (uintptr_t)s.rows % 16 == 0 && s.row_stride % 4 == 0 && s.k % 4 == 0;
    const int64_t blocks = pieces(s.count, kStreamWarps * (s.few_count <= 8 ? 8 : 4));
    if (blocks > 2147483647) return cudaErrorInvalidConfiguration;
    const auto kernel = s.few_count <= 8 ? (whole ? stream_kernel<8, 8, true> : stream_kernel<8, 8, false>)
                                         : (whole ? stream_kernel<16, 4, true> : stream_kernel<16, 4, false>);
    kernel<<<(unsigned)blocks, kStreamWarps * 32, 0, stream>>>(s);
    return cudaGetLastError();
}

// ---------------------------------------------------------------------------------------------------- fp32: tiles

constexpr int kPad = 4;   // floats after each row of a turned tile, against bank conflicts

// A tile of kRows x kCols of C for kRows * kCols / 64 threads, 8 x 8 each in four groups of 4 x 4, kDepth of k at a time.
template <int kRows, int kCols, int kDepth>
__global__ void __launch_bounds__(kRows * kCols / 64, 512 / (kRows * kCols / 64))
tile_kernel(const float* a, const float* b, float* c, Problem p, int64_t blocks_across, bool whole_a, bool whole_b, bool whole_c) {
    constexpr int kThreads = kRows * kCols / 64;
    __shared__ __align__(16) float tile_a[kDepth][kRows + kPad], tile_b[kDepth][kCols + kPad];
    const int t = threadIdx.x, x = t % (kCols / 8) * 4, y = t / (kCols / 8) * 4;
    const int64_t row = blockIdx.x / blocks_across * kRows, col = blockIdx.x % blocks_across * kCols;
    float sums[8][8] = {};
    for (int64_t first = 0; first < p.k; first += kDepth) {
        if (first > 0) __syncthreads();
        constexpr int kFours = kDepth / 4;
#pragma unroll
        for (int e = t; e < kRows * kFours; e += kThreads) {
            const int i = e % kFours * 4, r = e / kFours;
            const float4 four = load_four(a + (row + r) * p.lda + first + i, row + r < p.m ? p.k - first - i : 0, whole_a);
            tile_a[i][r] = four.x;
            tile_a[i + 1][r] = four.y;
            tile_a[i + 2][r] = four.z;
            tile_a[i + 3][r] = four.w;
        }
        if (p.transpose_b) {
#pragma unroll
            for (int e = t; e < kCols * kFours; e += kThreads) {
                const int i = e % kFours * 4, j = e / kFours;
                const float4 four = load_four(b + (col + j) * p.ldb + first + i, col + j < p.n ? p.k - first - i : 0, whole_b);
                tile_b[i][j] = four.x;
                tile_b[i + 1][j] = four.y;
                tile_b[i + 2][j] = four.z;
                tile_b[i + 3][j] = four.w;
            }
        } else {
#pragma unroll
            for (int e = t; e < kDepth * kCols / 4; e += kThreads) {
                const int j = e % (kCols / 4) * 4, i = e / (kCols / 4);
                *(float4*)&tile_b[i][j] = load_four(b + (first + i) * p.ldb + col + j, first + i < p.k ? p.n - col - j : 0, whole_b);
            }
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < kDepth; ++i) {
            float of_a[8], of_b[8];
            *(float4*)of_a = *(const float4*)&tile_a[i][y];
            *(float4*)(of_a + 4) = *(const float4*)&tile_a[i][y + kRows / 2];
            *(float4*)of_b = *(const float4*)&tile_b[i][x];
            *(float4*)(of_b + 4) = *(const float4*)&tile_b[i][x + kCols / 2];
#pragma unroll
            for (int r = 0; r < 8; ++r) {
#pragma unroll
                for (int j = 0; j < 8; ++j) sums[r][j] += of_a[r] * of_b[j];
            }
        }
    }
#pragma unroll
    for (int r = 0; r < 8; ++r) {
        const int64_t at_row = row + y + (r < 4 ? r : kRows / 2 + r - 4);
        if (at_row >= p.m) continue;
#pragma unroll
        for (int g = 0; g < 8; g += 4) {
            const int64_t at_col = col + x + g / 4 * (kCols / 2);
            float* to = c + at_row * p.ldc + at_col;
            if (whole_c && at_col + 4 <= p.n) {
                float4 four = make_float4(p.alpha * sums[r][g], p.alpha * sums[r][g + 1], p.alpha * sums[r][g + 2], p.alpha * sums[r][g + 3]);
                if (p.beta != 0.0f) {
                    const float4 old = *(const float4*)to;
                    four = make_float4(four.x + p.beta * old.x, four.y + p.beta * old.y, four.z + p.beta * old.z, four.w + p.beta * old.w);
                }
                __stcs((float4*)to, four);   // written once, and read by nobody here
            } else {
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    if (at_col + j < p.n) to[j] = p.beta != 0.0f ? p.alpha * sums[r][g + j] + p.beta * to[j] : p.alpha * sums[r][g + j];
                }
            }
        }
    }
}

template <int kRows, int kCols, int kDepth>
static cudaError_t launch_tiles(const float* a, const float* b, float* c, const Problem& p, cudaStream_t stream) {
    const int64_t across = pieces(p.n, kCols), blocks = across * pieces(p.m, kRows);
    if (blocks > 2147483647) return cudaErrorInvalidConfiguration;
    const auto whole = [](const float* base, int64_t stride) { return (uintptr_t)base % 16 == 0 && stride % 4 == 0; };
    tile_kernel<kRows, kCols, kDepth><<<(unsigned)blocks, kRows * kCols / 64, 0, stream>>>(a, b, c, p, across, whole(a, p.lda), whole(b, p.ldb), whole(c, p.ldc));
    return cudaGetLastError();
}

// </gap>
extern "C" cudaError_t gemm_skinny(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc,
                                   int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const Problem p = {m, n, k, lda, ldb, ldc, transpose_b != 0, alpha, beta};
    // <gap>
    //| // TODO: few columns, few rows, or a short k: what is large is read (or written) once. fp32 means fp32.
    //| (void)a; (void)b; (void)c; (void)p; (void)stream;
    //| return cudaGetLastError();
    const int64_t few_down = transpose_b ? ldb : 1, few_along = transpose_b ? 1 : ldb;
    if (n <= 16 && k >= 128) {
        return launch_stream({a, b, c, m, k, lda, few_down, few_along, ldc, 1, (int)n, alpha, beta}, stream);
    }
    if (m <= 16 && k >= 128 && transpose_b) {   // the same turned over: C^T = B^T A^T
        return launch_stream({b, a, c, n, k, ldb, lda, 1, 1, ldc, (int)m, alpha, beta}, stream);
    }
    if (n <= 64 || m <= 64) return n <= 64 ? launch_tiles<128, 64, 16>(a, b, c, p, stream) : launch_tiles<64, 128, 16>(a, b, c, p, stream);
    if (k <= 8) return launch_tiles<128, 128, 8>(a, b, c, p, stream);
    return launch_tiles<128, 128, 16>(a, b, c, p, stream);
    // </gap>
}

// <gap>

// ---------------------------------------------------------------------------------------------------- bf16: narrow tiles, divided k

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
    else if constexpr (kChunks == 4) return (row * kChunks + (chunk ^ (row >> 1 & 3))) * 16;   // two rows fill the banks once
    else return (row * kChunks + (chunk ^ (row >> 2 & 1))) * 16;                               // four rows do
}

// Copies the first `bytes` (0 to 16) of a chunk to shared memory, and zeros after them. Global memory is read kAlign bytes at a time.
template <int kAlign>
__device__ void copy_chunk(uint32_t to, const bf16* from, int bytes) {
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
template <int kRows, int kChunks, int kThreads, int kAlign>
struct Copier {
    static constexpr int kEach = kRows * kChunks / kThreads, kStep = kThreads / kChunks;
    static_assert(kThreads % kChunks == 0 && kRows % kStep == 0, "every thread copies the same column of chunks");

    const bf16* from;     // this thread's chunk of the first row that it copies
    int64_t stride;
    uint32_t to[kEach];

    __device__ Copier(const bf16* tile, int64_t stride) : stride(stride) {
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

__device__ inline void mma(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {   // d += a b: 16 x 8 += 16 x 16 by 16 x 8
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// The fragments of 16 of K: what one warp multiplies before it needs the next.
template <typename Tile, bool kTransposed>
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

__device__ inline uint32_t pack(float low, float high) {   // two results of a row, rounded, as they lie in memory
    const __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
    return *(const uint32_t*)&both;
}

// Two neighbours of a row of C; `in_pairs` where they may be written with one store.
__device__ inline void store_pair(bf16* c_row, int64_t at, float low, float high, const Problem& p, bool in_pairs) {
    if (p.beta != 0.0f) {
        if (at < p.n) low += p.beta * __bfloat162float(c_row[at]);
        if (at + 1 < p.n) high += p.beta * __bfloat162float(c_row[at + 1]);
    }
    if (in_pairs && at + 1 < p.n) {
        *(uint32_t*)(c_row + at) = pack(low, high);
    } else {
        if (at < p.n) c_row[at] = __float2bfloat16_rn(low);
        if (at + 1 < p.n) c_row[at + 1] = __float2bfloat16_rn(high);
    }
}

// The four lanes of a row of fragments have two columns each of four blocks of eight. Afterwards each has all eight columns of one block.
__device__ inline void turn_four(uint32_t (&w)[4]) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int step = 1; step < 4; step *= 2) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            if (i & step) continue;
            const bool upper = lane & step;
            const uint32_t got = __shfl_xor_sync(0xffffffff, upper ? w[i] : w[i + step], step);
            if (upper) w[i] = got;
            else w[i + step] = got;
        }
    }
}

// `split` blocks, a cluster, compute one tile together, each with its part of k.
template <typename Tile, bool kTransposed, int kAlign>
__global__ void __launch_bounds__(Tile::kThreads)
narrow_kernel(const bf16* a, const bf16* b, bf16* c, Problem p, int64_t tiles_across, int split, bool in_pairs, bool in_eights) {
    extern __shared__ __align__(128) unsigned char shared[];
    constexpr int kStages = Tile::kStages, kSteps = Tile::kDepth / 16;
    static_assert(kSteps % 2 == 0, "two sets of fragments take turns");
    constexpr int kStage = Tile::kBytesA + Tile::kBytesB;
    using CopierA = Copier<Tile::kRows, Tile::kDepth / 8, Tile::kThreads, kAlign>;
    using CopierB = Copier<kTransposed ? Tile::kCols : Tile::kDepth, (kTransposed ? Tile::kDepth : Tile::kCols) / 8, Tile::kThreads, kAlign>;

    const int64_t number = blockIdx.x / split, rank = blockIdx.x % split;
    const int64_t row = number / tiles_across * Tile::kRows, col = number % tiles_across * Tile::kCols;
    const int64_t part = ((p.k + split - 1) / split + Tile::kDepth - 1) / Tile::kDepth * Tile::kDepth, k_first = rank * part;
    const int64_t length = p.k - k_first < part ? (p.k > k_first ? p.k - k_first : 0) : part;
    CopierA copier_a(a + row * p.lda + k_first, p.lda);
    CopierB copier_b(kTransposed ? b + col * p.ldb + k_first : b + k_first * p.ldb + col, p.ldb);
    const uint32_t first = (uint32_t)__cvta_generic_to_shared(shared);
    const int tiles = (int)((length + Tile::kDepth - 1) / Tile::kDepth);

    int64_t k_left = length;   // of what is not yet being copied
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
    Fragments<Tile, kTransposed> fragments[2];
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
                    mma(sums[i][across], fragments[step % 2].a[i], fragments[step % 2].b[across / 2][across % 2 * 2],
                           fragments[step % 2].b[across / 2][across % 2 * 2 + 1]);
                }
            }
        }
    }

    if (split > 1) {
#if __CUDA_ARCH__ >= 900
        // Everyone lays its sums down, then each block of the cluster adds and writes its share of the rows.
        constexpr int kWidth = Tile::kCols + 4;
        static_assert(Tile::kRows * kWidth * 4 <= Tile::kShared || Tile::kRows * Tile::kCols > 8192, "the sums fit where the tiles were");
        const auto cluster = cooperative_groups::this_cluster();
        float* mine = (float*)shared;
        __syncthreads();   // everybody has read the last tile
#pragma unroll
        for (int i = 0; i < kHigh; ++i) {
#pragma unroll
            for (int j = 0; j < kWide; ++j) {
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    float* to = mine + (warp_row + i * 16 + half * 8 + lane / 4) * kWidth + warp_col + j * 8 + lane % 4 * 2;
                    *(float2*)to = make_float2(sums[i][j][half * 2], sums[i][j][half * 2 + 1]);
                }
            }
        }
        cluster.sync();
        const int share = Tile::kRows / split;
        for (int e = threadIdx.x; e < share * Tile::kCols / 2; e += Tile::kThreads) {
            const int r = (int)rank * share + e / (Tile::kCols / 2), j = e % (Tile::kCols / 2) * 2;
            float low = 0.0f, high = 0.0f;
            for (int other = 0; other < split; ++other) {
                const float2 two = *(const float2*)(cluster.map_shared_rank(mine, other) + r * kWidth + j);
                low += two.x;
                high += two.y;
            }
            if (row + r < p.m) store_pair(c + (row + r) * p.ldc, col + j, p.alpha * low, p.alpha * high, p, in_pairs);
        }
        cluster.sync();   // nobody leaves, and takes its shared memory along, before everybody has read it
#endif
        return;
    }
#pragma unroll
    for (int i = 0; i < kHigh; ++i) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int64_t r = row + warp_row + i * 16 + half * 8 + lane / 4;
            const auto sum = [&](int j, int e) { return tiles > 0 ? p.alpha * sums[i][j][half * 2 + e] : 0.0f; };
            bf16* c_row = c + r * p.ldc;
            if constexpr (kWide % 4 == 0) {
                if (in_eights && p.beta == 0.0f) {   // the same for all threads: 16 bytes a lane, 64 of a row
#pragma unroll
                    for (int j = 0; j < kWide; j += 4) {
                        uint32_t w[4] = {pack(sum(j, 0), sum(j, 1)), pack(sum(j + 1, 0), sum(j + 1, 1)), pack(sum(j + 2, 0), sum(j + 2, 1)), pack(sum(j + 3, 0), sum(j + 3, 1))};
                        turn_four(w);
                        const int64_t at = col + warp_col + (j + lane % 4) * 8;
                        if (r < p.m && at < p.n) __stcs((uint4*)(c_row + at), make_uint4(w[0], w[1], w[2], w[3]));
                    }
                    continue;
                }
            }
            if (r >= p.m) continue;
#pragma unroll
            for (int j = 0; j < kWide; ++j) store_pair(c_row, col + warp_col + j * 8 + lane % 4 * 2, sum(j, 0), sum(j, 1), p, in_pairs);
        }
    }
}

template <typename Tile, bool kTransposed, int kAlign>
static cudaError_t launch_narrow(const bf16* a, const bf16* b, bf16* c, const Problem& p, int most_split, cudaStream_t stream) {
    int device, multiprocessors, has_clusters;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&has_clusters, cudaDevAttrClusterLaunch, device);
    const auto kernel = narrow_kernel<Tile, kTransposed, kAlign>;
    if (error == cudaSuccess) error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Tile::kShared);
    if (error != cudaSuccess) return error;

    const int64_t across = pieces(p.n, Tile::kCols), tiles = across * pieces(p.m, Tile::kRows);
    int split = 1;   // two blocks for each multiprocessor, and at least four steps for each block
    while (has_clusters && split < most_split && tiles * split * 2 <= 2 * multiprocessors && p.k >= split * 2 * 4 * Tile::kDepth) split *= 2;
    if (tiles * split > 2147483647) return cudaErrorInvalidConfiguration;
    const bool in_pairs = (uintptr_t)c % 4 == 0 && p.ldc % 2 == 0, in_eights = (uintptr_t)c % 16 == 0 && p.ldc % 8 == 0 && p.n % 8 == 0;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = split;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)(tiles * split));
    config.blockDim = dim3(Tile::kThreads);
    config.dynamicSmemBytes = Tile::kShared;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = split > 1 ? 1 : 0;
    return cudaLaunchKernelEx(&config, kernel, a, b, c, p, across, split, in_pairs, in_eights);
}

using Flat = Tile<16, 64, 64, 16, 16, 6>;        // few rows
using Slim = Tile<64, 16, 64, 16, 16, 6>;        // few columns
using Square = Tile<64, 64, 64, 32, 32, 4>;      // few columns, and so few rows that k is divided
using Tall = Tile<128, 64, 64, 32, 32, 2>;       // few columns, short k
using Plate = Tile<128, 128, 32, 32, 64, 2>;     // short k

template <bool kTransposed, int kAlign>
static cudaError_t skinny(const bf16* a, const bf16* b, bf16* c, const Problem& p, cudaStream_t stream) {
    if (p.m <= 16) return launch_narrow<Flat, kTransposed, kAlign>(a, b, c, p, 8, stream);
    if (p.n <= 16) return launch_narrow<Slim, kTransposed, kAlign>(a, b, c, p, 8, stream);
    if (p.k > 128) return launch_narrow<Square, kTransposed, kAlign>(a, b, c, p, 8, stream);
    if (p.n <= 64) return launch_narrow<Tall, kTransposed, kAlign>(a, b, c, p, 1, stream);
    return launch_narrow<Plate, kTransposed, kAlign>(a, b, c, p, 1, stream);
}

// </gap>
extern "C" cudaError_t gemm_skinny_bf16(const bf16* a, const bf16* b, bf16* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc,
                                        int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const Problem p = {m, n, k, lda, ldb, ldc, transpose_b != 0, alpha, beta};
    // <gap>
    //| // TODO: the same in bf16, with sums in float.
    //| (void)a; (void)b; (void)c; (void)p; (void)stream;
    //| return cudaGetLastError();
    if (((uintptr_t)a | (uintptr_t)b) % 16 == 0 && (lda | ldb) % 8 == 0) {   // every row begins on a 16-byte boundary
        return transpose_b ? skinny<true, 16>(a, b, c, p, stream) : skinny<false, 16>(a, b, c, p, stream);
    }
    return transpose_b ? skinny<true, 2>(a, b, c, p, stream) : skinny<false, 2>(a, b, c, p, stream);
    // </gap>
}
