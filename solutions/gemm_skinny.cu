// gemm_skinny: C = alpha A B + beta C, or A B^T, where one of m, n and k is so small that memory decides; fp32, and bf16 with fp32 sums.
//
// Check: onekernel check gemm_skinny
// Bench: python bench/gemm.py
//
// <gap>
//| // TODO: which matrix is large, how often do you read it, and how wide?
// A library tunes for squares. Here the least bytes are one large matrix, read once or written once, and everything is arranged around it:
// - short k: what is large is C. A lane keeps its columns of B in registers and walks down the rows of C, which it writes 16 bytes at a time; in bf16
//   the Tensor Cores multiply. In its loop nobody waits for anybody.
// - fp32, few columns (or few rows): blocks that stay. Their copies from global memory run ahead of the sums, from one tile of C into the next, and
//   groups of threads of a block divide k, so that a thread has enough elements of C even where C has few columns.
// - bf16, else: tiles of Tensor Core fragments, as narrow as the small side; where that makes too few blocks, the blocks of a cluster divide k and
//   add their sums through each other's shared memory.
//
// But: fp32 with few rows and a B that runs along n goes by tiles that are mostly empty. And above 64 rows and 64 columns bf16 is a matter of
// arithmetic, which gemm_tensorcore does faster.
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

static bool sixteen(const void* base, int64_t row_bytes) { return (uintptr_t)base % 16 == 0 && row_bytes % 16 == 0; }   // whether every row begins there

// Four neighbours of a row, of which `there` exist; the others are 0.
__device__ inline float4 load_four(const float* from, int64_t there, bool whole) {
    if (whole && there >= 4) return *(const float4*)from;
    return make_float4(there > 0 ? from[0] : 0.0f, there > 1 ? from[1] : 0.0f, there > 2 ? from[2] : 0.0f, there > 3 ? from[3] : 0.0f);
}

__device__ inline void store(float* to, float sum, float alpha, float beta) {   // what C held is not read where beta is 0
    *to = beta != 0.0f ? alpha * sum + beta * *to : alpha * sum;
}

__device__ inline void store_four(float* to, const float4& sum, float alpha, float beta, int64_t there, bool whole) {
    if (whole && there >= 4) {
        float4 four = make_float4(alpha * sum.x, alpha * sum.y, alpha * sum.z, alpha * sum.w);
        if (beta != 0.0f) {
            const float4 old = *(const float4*)to;
            four = make_float4(four.x + beta * old.x, four.y + beta * old.y, four.z + beta * old.z, four.w + beta * old.w);
        }
        *(float4*)to = four;
        return;
    }
    if (there > 0) store(to, sum.x, alpha, beta);
    if (there > 1) store(to + 1, sum.y, alpha, beta);
    if (there > 2) store(to + 2, sum.z, alpha, beta);
    if (there > 3) store(to + 3, sum.w, alpha, beta);
}

// ---------------------------------------------------------------------------------------------------- fp32: short k

constexpr int kOuterWarps = 8;   // side by side, 128 columns of C each

template <int kDepth, int kRows>   // the largest k; rows of C of a block
__global__ void __launch_bounds__(kOuterWarps * 32, 2)
outer_kernel(const float* a, const float* b, float* c, Problem p, int64_t across, bool whole_a, bool whole_b, bool whole_c) {
    __shared__ __align__(16) float of_a[kRows][kDepth];
    const int64_t row = blockIdx.x / across * kRows, col = (blockIdx.x % across * kOuterWarps * 32 + threadIdx.x) * 4;
    const int rows = (int)(p.m - row < kRows ? p.m - row : kRows);
    for (int e = threadIdx.x; e < kRows * kDepth / 4; e += kOuterWarps * 32) {
        const int r = e / (kDepth / 4), i = e % (kDepth / 4) * 4;
        *(float4*)&of_a[r][i] = load_four(a + (row + r) * p.lda + i, r < rows ? p.k - i : 0, whole_a);
    }
    float4 of_b[kDepth];
#pragma unroll
    for (int i = 0; i < kDepth; ++i) {
        if (p.transpose_b) {
            const auto one = [&](int64_t j) { return i < p.k && j < p.n ? b[j * p.ldb + i] : 0.0f; };
            of_b[i] = make_float4(one(col), one(col + 1), one(col + 2), one(col + 3));
        } else {
            of_b[i] = load_four(b + i * p.ldb + col, i < p.k ? p.n - col : 0, whole_b);
        }
    }
    __syncthreads();
    float* to = c + row * p.ldc + col;
#pragma unroll 2
    for (int r = 0; r < rows; ++r, to += p.ldc) {
        float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
        for (int i = 0; i < kDepth; i += 4) {
            __align__(16) float x[4];
            *(float4*)x = *(const float4*)&of_a[r][i];   // the same for all lanes
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                sum.x += x[e] * of_b[i + e].x;
                sum.y += x[e] * of_b[i + e].y;
                sum.z += x[e] * of_b[i + e].z;
                sum.w += x[e] * of_b[i + e].w;
            }
        }
        store_four(to, sum, p.alpha, p.beta, p.n - col, whole_c);
    }
}

template <int kDepth, int kRows>
static cudaError_t launch_outer(const float* a, const float* b, float* c, const Problem& p, cudaStream_t stream) {
    const int64_t across = pieces(p.n, kOuterWarps * 128), blocks = across * pieces(p.m, kRows);
    if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
    outer_kernel<kDepth, kRows><<<(unsigned)blocks, kOuterWarps * 32, 0, stream>>>(a, b, c, p, across, sixteen(a, p.lda * 4), sixteen(b, p.ldb * 4), sixteen(c, p.ldc * 4));
    return cudaGetLastError();
}

// ---------------------------------------------------------------------------------------------------- fp32: few columns, or few rows

struct Product {   // c[i * down + j * along] = alpha * (A B)[i][j] + beta * ...: C, or C turned over
    const float *a, *b;
    float* c;
    int64_t m, n, k, lda, ldb, down, along;
    float alpha, beta;
    bool whole_a, whole_b, whole_c;
};

// A block's tile of C: kRows x kCols, 8 x kWide of them a thread. kSlices groups of threads have a part of each kDepth of k. A and B lie in shared
// memory as they lie in global memory; rows along k have four floats of padding, so that the same four of eight rows lie in all banks.
template <int kRows_, int kCols_, int kWide_, int kSlices_, int kDepth_, int kStages_>
struct Strip {
    static constexpr int kRows = kRows_, kCols = kCols_, kWide = kWide_, kSlices = kSlices_, kDepth = kDepth_, kStages = kStages_;
    static constexpr int kHigh = 8, kAcross = kCols / kWide, kDown = kRows / kHigh, kThreads = kAcross * kDown * kSlices;
    static constexpr int kStrideA = kDepth + 4, kFloatsA = kRows * kStrideA;
    template <bool kTurned> static constexpr int kStrideB = kTurned ? kDepth + 4 : kCols;
    template <bool kTurned> static constexpr int kFloats = kFloatsA + (kTurned ? kCols : kDepth) * kStrideB<kTurned>;
    static_assert(kSlices == 1 || kSlices * kRows * kCols <= kFloatsA, "the groups' sums fit where a tile of A was");
};

// Starts the copy of the first `there` of four neighbours to shared memory, zeros after them. Nobody waits for it here.
__device__ inline void copy_four(uint32_t to, const float* from, int64_t there, bool whole) {
    if (whole) {
        const int bytes = there <= 0 ? 0 : there >= 4 ? 16 : (int)there * 4;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
        return;
    }
#pragma unroll
    for (int e = 0; e < 4; ++e) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to + 4 * e), "l"(e < there ? from + e : from), "r"(e < there ? 4 : 0) : "memory");
    }
}

// kHigh rows of kWide floats, from rows `stride` apart of which `rows` of `cols` exist, to rows kApart apart.
template <int kHigh, int kWide, int kApart, int kThreads>
__device__ inline void copy_tile(uint32_t to, const float* from, int64_t stride, int64_t rows, int64_t cols, bool whole) {
    constexpr int kStep = kThreads / (kWide / 4);
    static_assert(kThreads % (kWide / 4) == 0 && (kHigh % kStep == 0 || kHigh < kStep), "every thread copies the same columns of its rows");
    const int row = threadIdx.x / (kWide / 4), col = threadIdx.x % (kWide / 4) * 4;
    to += (row * kApart + col) * 4;
    from += row * stride + col;
#pragma unroll
    for (int e = 0; e < kHigh; e += kStep) {
        if (kHigh % kStep == 0 || row < kHigh) copy_four(to + e * kApart * 4, from, row + e < rows ? cols - col : 0, whole);
        from += kStep * stride;
    }
}

template <typename Strip, bool kTurned>
__global__ void __launch_bounds__(Strip::kThreads, 2)
strip_kernel(Product p, int64_t across, int64_t tiles, int64_t steps) {
    extern __shared__ __align__(16) float strip_shared[];
    constexpr int kRows = Strip::kRows, kCols = Strip::kCols, kDepth = Strip::kDepth, kWide = Strip::kWide, kThreads = Strip::kThreads;
    constexpr int kStage = Strip::template kFloats<kTurned>, kStrideA = Strip::kStrideA, kStrideB = Strip::template kStrideB<kTurned>, kPart = kDepth / Strip::kSlices;
    // Bit 0 of a lane's number belongs to its column, bit 1 to its row: a read of A is the same for neighbours, a read of B for every other lane,
    // and such reads share wavefronts.
    constexpr int kAcross = Strip::kAcross, kDown = Strip::kDown;
    static_assert(kAcross == 2 || kAcross == 4 || kAcross == 8, "bits 0, 2 and 4");
    const int lane = threadIdx.x % 32, slice = threadIdx.x / (kAcross * kDown), warp = threadIdx.x % (kAcross * kDown) / 32;
    const int x = kAcross == 2 ? lane & 1 : kAcross == 4 ? (lane & 1) | (lane >> 1 & 2) : (lane & 1) | (lane >> 1 & 2) | (lane >> 2 & 4);
    const int y = warp * (32 / kAcross) + (kAcross == 2 ? lane >> 1 : (lane >> 1 & 1) | (lane >> 2 & (kAcross == 4 ? 6 : 2)));

    const uint32_t base = (uint32_t)__cvta_generic_to_shared(strip_shared);
    int64_t next_tile = steps > 0 ? blockIdx.x : tiles, next_step = 0;
    int next_stage = 0;
    auto fetch = [&] {   // the next step of this tile, or the first one of the block's next tile
        if (next_tile < tiles) {
            const int64_t row = next_tile / across * kRows, col = next_tile % across * kCols, k = next_step * kDepth;
            const uint32_t to = base + next_stage * kStage * 4, to_b = to + Strip::kFloatsA * 4;
            copy_tile<kRows, kDepth, kStrideA, kThreads>(to, p.a + row * p.lda + k, p.lda, p.m - row, p.k - k, p.whole_a);
            if constexpr (kTurned) copy_tile<kCols, kDepth, kStrideB, kThreads>(to_b, p.b + col * p.ldb + k, p.ldb, p.n - col, p.k - k, p.whole_b);
            else copy_tile<kDepth, kCols, kStrideB, kThreads>(to_b, p.b + k * p.ldb + col, p.ldb, p.k - k, p.n - col, p.whole_b);
            if (++next_step == steps) {
                next_step = 0;
                next_tile += gridDim.x;
            }
        }
        next_stage = next_stage + 1 == Strip::kStages ? 0 : next_stage + 1;
        asm volatile("cp.async.commit_group;" ::: "memory");   // a group each time, empty at the end, so that counting groups counts steps
    };
    for (int s = 0; s < Strip::kStages - 1; ++s) fetch();
    int stage = 0;
    for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int64_t row = tile / across * kRows, col = tile % across * kCols;
        float sums[Strip::kHigh][kWide] = {};
        float* shared = strip_shared;   // the stage that is multiplied
        for (int64_t step = 0; step < steps; ++step) {
            asm volatile("cp.async.wait_group %0;" ::"n"(Strip::kStages - 2) : "memory");   // this step's: of this thread's copies
            __syncthreads();                                                                // of everybody's; and the stage before has been read
            fetch();
            shared = strip_shared + stage * kStage;
            stage = stage + 1 == Strip::kStages ? 0 : stage + 1;
            const float *of_a = shared + y * kStrideA + slice * kPart, *of_b = shared + Strip::kFloatsA;
#pragma unroll
            for (int i = 0; i < kPart; i += 4) {
                __align__(16) float from_a[Strip::kHigh][4];
#pragma unroll
                for (int r = 0; r < Strip::kHigh; ++r) *(float4*)from_a[r] = *(const float4*)&of_a[r * kDown * kStrideA + i];
#pragma unroll
                for (int g = 0; g < (kTurned ? kWide : 4); ++g) {   // four of k of a column, or kWide columns of one k
                    __align__(16) float from_b[kTurned ? 4 : kWide];
                    if constexpr (kTurned) {
                        *(float4*)from_b = *(const float4*)&of_b[(x + g * kAcross) * kStrideB + slice * kPart + i];
                    } else {
#pragma unroll
                        for (int j = 0; j < kWide; j += 4) {
                            *(float4*)&from_b[j] = *(const float4*)&of_b[(slice * kPart + i + g) * kStrideB + x * 4 + j * kAcross];
                        }
                    }
#pragma unroll
                    for (int r = 0; r < Strip::kHigh; ++r) {
#pragma unroll
                        for (int e = 0; e < (kTurned ? 4 : kWide); ++e) {
                            float& sum = sums[r][kTurned ? g : e];
                            sum += from_a[r][kTurned ? e : g] * from_b[e];
                        }
                    }
                }
            }
        }
        const auto column = [&](int j) { return kTurned ? x + j * kAcross : x * 4 + j / 4 * 4 * kAcross + j % 4; };   // of sums[r][j] in the tile
        if constexpr (Strip::kSlices > 1) {
            __syncthreads();   // everybody has read the last stage, and nobody copies into it before the next step's barrier
#pragma unroll
            for (int r = 0; r < Strip::kHigh; ++r) {
#pragma unroll
                for (int j = 0; j < kWide; ++j) shared[(slice * kRows + y + r * kDown) * kCols + column(j)] = sums[r][j];
            }
            __syncthreads();
            for (int e = threadIdx.x; e < kRows * kCols; e += kThreads) {
                float sum = 0.0f;
#pragma unroll
                for (int s = 0; s < Strip::kSlices; ++s) sum += shared[s * kRows * kCols + e];
                const int64_t i = row + e / kCols, j = col + e % kCols;
                if (i < p.m && j < p.n) store(p.c + i * p.down + j * p.along, sum, p.alpha, p.beta);
            }
        } else {
#pragma unroll
            for (int r = 0; r < Strip::kHigh; ++r) {
                const int64_t i = row + y + r * kDown;
                if (i >= p.m) continue;
                float* to = p.c + i * p.down;
#pragma unroll
                for (int j = 0; j < kWide; j += 4) {
                    const int64_t at = col + column(j);
                    if (!kTurned && p.along == 1) {
                        store_four(to + at, make_float4(sums[r][j], sums[r][j + 1], sums[r][j + 2], sums[r][j + 3]), p.alpha, p.beta, p.n - at, p.whole_c);
                    } else {
#pragma unroll
                        for (int e = j; e < j + 4; ++e) {
                            if (col + column(e) < p.n) store(to + (col + column(e)) * p.along, sums[r][e], p.alpha, p.beta);
                        }
                    }
                }
            }
        }
    }
}

template <typename Strip>
static cudaError_t launch_strip(const Product& p, bool turned, cudaStream_t stream) {
    int device, multiprocessors;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    const auto kernel = turned ? strip_kernel<Strip, true> : strip_kernel<Strip, false>;
    const int bytes = Strip::kStages * (turned ? Strip::template kFloats<true> : Strip::template kFloats<false>) * 4;
    if (error == cudaSuccess) error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (error != cudaSuccess) return error;
    const int64_t across = pieces(p.n, Strip::kCols), tiles = across * pieces(p.m, Strip::kRows);
    const int64_t blocks = tiles < 2 * multiprocessors ? tiles : 2 * multiprocessors;
    kernel<<<(unsigned)blocks, Strip::kThreads, bytes, stream>>>(p, across, tiles, pieces(p.k, Strip::kDepth));
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
    if (k <= 16 && n >= 128) return k <= 8 ? launch_outer<8, 32>(a, b, c, p, stream) : launch_outer<16, 128>(a, b, c, p, stream);
    const bool whole_a = sixteen(a, lda * 4), whole_b = sixteen(b, ldb * 4);
    const bool over = transpose_b && m < n && m <= 64;   // few rows: C^T = B A^T has few columns
    const Product q = over ? Product{b, a, c, n, m, k, ldb, lda, 1, ldc, alpha, beta, whole_b, whole_a, false}
                           : Product{a, b, c, m, n, k, lda, ldb, ldc, 1, alpha, beta, whole_a, whole_b, sixteen(c, ldc * 4)};
    if (q.n <= 8) return launch_strip<Strip<128, 8, 4, 8, 64, 2>>(q, transpose_b, stream);
    if (q.n <= 16) return launch_strip<Strip<64, 16, 4, 4, 128, 2>>(q, transpose_b, stream);
    return launch_strip<Strip<128, 64, 8, 1, 32, 3>>(q, transpose_b, stream);
    // </gap>
}

// <gap>

// ---------------------------------------------------------------------------------------------------- bf16: short k

__device__ inline void mma(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {   // d += a b: 16 x 8 += 16 x 16 by 16 x 8
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ inline uint32_t pack(float low, float high) {   // two results of a row, rounded, as they lie in memory
    const __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
    return *(const uint32_t*)&both;
}

constexpr int kPlateCols = 64, kPlateWarps = 4;

// A warp keeps kPlateCols columns of B as fragments, all of k, and walks down A and C in strips of 16 rows; kAhead strips of A are on their way.
// Nothing passes through shared memory. In a multiplication it is for us to say which column of B, and which of k, a fragment's place stands for:
// - a lane has the four of k that lie together (or of 32 of k, eight), so that it reads them in one load;
// - column 2q + e of the eight multiplications stands for columns 8q + 32e to 8q + 32e + 7, so that a lane's results of a row are neighbours.
template <int kSteps, int kAhead, int kBlocks, bool kTransposed>   // kSteps of 16: the largest k
__global__ void __launch_bounds__(kPlateWarps * 32, kBlocks)
plate_kernel(const bf16* a, const bf16* b, bf16* c, Problem p, int64_t across, int64_t down) {
    constexpr int kLoads = kSteps == 1 ? 1 : kSteps / 2, kWords = kSteps == 1 ? 2 : 4;   // of a row of A, and of each of them
    static_assert(kSteps == 1 || kSteps % 2 == 0, "two steps share a load");
    struct Strip16 {
        uint32_t words[kLoads][2][kWords];   // of rows g and g + 8
    };
    const int lane = threadIdx.x % 32, g = lane / 4, q = lane % 4;
    const int64_t number = (int64_t)blockIdx.x * kPlateWarps + threadIdx.x / 32, col = number % across * kPlateCols;
    int64_t strip = number / across;
    if (strip >= down) return;
    const auto fetch = [&](Strip16& to, int64_t which) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int64_t row = which * 16 + half * 8 + g;
            const bf16* from = a + row * p.lda;
#pragma unroll
            for (int i = 0; i < kLoads; ++i) {
                if constexpr (kSteps == 1) {
                    const uint2 two = row < p.m && 4 * q < p.k ? *(const uint2*)(from + 4 * q) : make_uint2(0, 0);
                    to.words[i][half][0] = two.x;
                    to.words[i][half][1] = two.y;
                } else {
                    const int k = 32 * i + 8 * q;
                    const uint4 four = row < p.m && k < p.k ? *(const uint4*)(from + k) : make_uint4(0, 0, 0, 0);
                    to.words[i][half][0] = four.x;
                    to.words[i][half][1] = four.y;
                    to.words[i][half][2] = four.z;
                    to.words[i][half][3] = four.w;
                }
            }
        }
    };
    Strip16 ahead[kAhead];
#pragma unroll
    for (int i = 0; i < kAhead; ++i) fetch(ahead[i], strip + i * down);

    uint32_t of_b[kSteps][8][2];
    const int64_t first = col + g / 2 * 8 + g % 2 * 32;   // of the eight columns that this lane loads
#pragma unroll
    for (int s = 0; s < kSteps; ++s) {
        const int k = kSteps == 1 ? 4 * q : s / 2 * 32 + 8 * q + s % 2 * 4;
        if constexpr (kTransposed) {
#pragma unroll
            for (int j = 0; j < 8; ++j) {
                const uint2 two = first < p.n && k < p.k ? *(const uint2*)(b + (first + j) * p.ldb + k) : make_uint2(0, 0);
                of_b[s][j][0] = two.x;
                of_b[s][j][1] = two.y;
            }
        } else {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const bool there = first < p.n && k + 2 * half < p.k;
                const bf16* from = b + (k + 2 * half) * p.ldb + first;
                const uint4 upper = there ? *(const uint4*)from : make_uint4(0, 0, 0, 0), lower = there ? *(const uint4*)(from + p.ldb) : make_uint4(0, 0, 0, 0);
                const uint32_t x[4] = {upper.x, upper.y, upper.z, upper.w}, y[4] = {lower.x, lower.y, lower.z, lower.w};
#pragma unroll
                for (int w = 0; w < 4; ++w) {
                    of_b[s][2 * w][half] = __byte_perm(x[w], y[w], 0x5410);       // a column's number of this row of B, and of the next
                    of_b[s][2 * w + 1][half] = __byte_perm(x[w], y[w], 0x7632);
                }
            }
        }
    }
    for (; strip * 16 < p.m; strip += down) {
        const Strip16 now = ahead[0];
#pragma unroll
        for (int i = 0; i + 1 < kAhead; ++i) ahead[i] = ahead[i + 1];
        fetch(ahead[kAhead - 1], strip + kAhead * down);
        float sums[8][4] = {};
#pragma unroll
        for (int s = 0; s < kSteps; ++s) {
            const int w = s % 2 * 2;
            const uint32_t of_a[4] = {now.words[s / 2][0][w], now.words[s / 2][1][w], now.words[s / 2][0][w + 1], now.words[s / 2][1][w + 1]};
#pragma unroll
            for (int j = 0; j < 8; ++j) mma(sums[j], of_a, of_b[s][j][0], of_b[s][j][1]);
        }
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            const int64_t row = strip * 16 + e / 2 * 8 + g, at = col + q * 8 + e % 2 * 32;
            if (row >= p.m || at >= p.n) continue;
            uint4* to = (uint4*)(c + row * p.ldc + at);
            float out[8];
#pragma unroll
            for (int j = 0; j < 8; ++j) out[j] = p.alpha * sums[j][e];
            if (p.beta != 0.0f) {
                const uint4 old = *to;
                const uint32_t pairs[4] = {old.x, old.y, old.z, old.w};
#pragma unroll
                for (int w = 0; w < 4; ++w) {
                    out[2 * w] += p.beta * __uint_as_float(pairs[w] << 16);
                    out[2 * w + 1] += p.beta * __uint_as_float(pairs[w] & 0xffff0000);
                }
            }
            *to = make_uint4(pack(out[0], out[1]), pack(out[2], out[3]), pack(out[4], out[5]), pack(out[6], out[7]));
        }
    }
}

template <int kSteps, int kAhead, int kBlocks>
static cudaError_t launch_plate(const bf16* a, const bf16* b, bf16* c, const Problem& p, cudaStream_t stream) {
    int device, multiprocessors;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (error != cudaSuccess) return error;
    const int64_t across = pieces(p.n, kPlateCols), strips = pieces(p.m, 16), room = (int64_t)multiprocessors * kBlocks * kPlateWarps / across;
    const int64_t rounds = pieces(strips, room > 0 ? room : 1), down = pieces(strips, rounds);   // warps in a column: as few as need no more rounds
    const int64_t blocks = pieces(across * down, kPlateWarps);
    if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
    const auto kernel = p.transpose_b ? plate_kernel<kSteps, kAhead, kBlocks, true> : plate_kernel<kSteps, kAhead, kBlocks, false>;
    kernel<<<(unsigned)blocks, kPlateWarps * 32, 0, stream>>>(a, b, c, p, across, down);
    return cudaGetLastError();
}

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

// `split` blocks, a cluster, compute one tile together, each with its part of k.
template <typename Tile, bool kTransposed, int kAlign>
__global__ void __launch_bounds__(Tile::kThreads)
narrow_kernel(const bf16* a, const bf16* b, bf16* c, Problem p, int64_t tiles_across, int split, bool in_pairs) {
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
    const bool in_pairs = (uintptr_t)c % 4 == 0 && p.ldc % 2 == 0;
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
    return cudaLaunchKernelEx(&config, kernel, a, b, c, p, across, split, in_pairs);
}

using Flat = Tile<16, 64, 64, 16, 16, 6>;        // few rows
using Wide = Tile<16, 128, 64, 16, 32, 5>;       // few rows, a long k
using Slim = Tile<64, 16, 64, 16, 16, 6>;        // few columns
using Square = Tile<64, 64, 64, 32, 32, 4>;      // neither; or so few rows and columns that k is divided

template <bool kTransposed, int kAlign>
static cudaError_t narrow(const bf16* a, const bf16* b, bf16* c, const Problem& p, cudaStream_t stream) {
    if (p.m <= 16 && p.n < p.k) return launch_narrow<Wide, kTransposed, kAlign>(a, b, c, p, 8, stream);
    if (p.m <= 16) return launch_narrow<Flat, kTransposed, kAlign>(a, b, c, p, 8, stream);
    if (p.n <= 16) return launch_narrow<Slim, kTransposed, kAlign>(a, b, c, p, 8, stream);
    return launch_narrow<Square, kTransposed, kAlign>(a, b, c, p, 8, stream);
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
    const bool whole = sixteen(a, lda * 2) && sixteen(b, ldb * 2);
    if (whole && sixteen(c, ldc * 2) && n % 8 == 0 && k % 8 == 0 && n > 16 && k <= 64) {
        return k <= 16 ? launch_plate<1, 2, 6>(a, b, c, p, stream) : launch_plate<4, 1, 3>(a, b, c, p, stream);
    }
    if (whole) return transpose_b ? narrow<true, 16>(a, b, c, p, stream) : narrow<false, 16>(a, b, c, p, stream);
    return transpose_b ? narrow<true, 2>(a, b, c, p, stream) : narrow<false, 2>(a, b, c, p, stream);
    // </gap>
}
