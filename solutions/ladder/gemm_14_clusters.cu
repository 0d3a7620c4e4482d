// gemm_14_clusters: C = alpha A B + beta C, or A B^T, two blocks fetch B once.
//
// Check: python -m pytest tests/grading/test_gemm_ladder.py -k gemm_14_clusters
// Bench: python bench/gemm.py
//
// The new idea: a cluster of two blocks, one above the other in C, that need the same tile of B. Each fetches one half of it, and the copy engine writes that half into
// both blocks' shared memory (multicast): of three tiles' worth of bytes that two blocks fetched each, two are left. A stage is empty when the consumers of both
// blocks have finished with it.
//
// Ledger: loads 0.015625 bytes per FMA from global memory
//
// But: at these sizes L2 gives what two blocks ask for just as well: the rung before it is as fast on an H200. And there is one size of tile for all
// sizes of C. gemm_tensorcore chooses among three, and runs on other cards than Hopper.

#include <cuda.h>   // for CUtensorMap; the one function of the driver that is called is asked for at run time
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

constexpr int kRows = 128, kCols = 256, kDepth = 64;   // of a block's tile of C, and along k: 128 bytes, the widest row that is swizzled
constexpr int kWarpgroup = 128;                        // threads that issue a wgmma together, for 64 rows of C
constexpr int kConsumers = 2, kThreads = (1 + kConsumers) * kWarpgroup;   // warpgroups that multiply; and one that fetches
constexpr int kStages = 4;
constexpr int kBytesA = kRows * kDepth * 2, kBytesB = kCols * kDepth * 2;
constexpr int kBox = kDepth * 128;                     // bytes of a box of 64 columns of a B that runs along n
constexpr int kCluster = 2;
constexpr int kStoreCols = 64, kBytesC = 64 * kStoreCols * 2;   // of C in one store of the copy engine, again 128 bytes wide
constexpr int kShared = kStages * (kBytesA + kBytesB) + kConsumers * 2 * kBytesC + 1024;   // and room to begin at a multiple of 1024
constexpr int kBand = 8;   // rows of tiles that are walked column by column

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

__device__ inline uint32_t shared_address(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

__device__ inline uint32_t pack(float low, float high) {   // two results of a row, rounded, as they lie in memory
    const __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
    return *(const uint32_t*)&both;
}

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

// d = a b (+ d where `add`): 64 x kCols, 16 of K, by the 128 threads of a warpgroup; it goes on while they do something else.
template <bool kTransposed>
__device__ void wgmma(float (&d)[kCols / 2], uint64_t a, uint64_t b, int add) {
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %130, 0;\nwgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {" NAMES_0_31 ", " NAMES_32_63 ", " NAMES_64_127
                 "}, %128, %129, p, 1, 1, 0, %131;\n}"
                 : SUMS_32(0), SUMS_32(32), SUMS_32(64), SUMS_32(96) : "l"(a), "l"(b), "r"(add), "n"((int)!kTransposed));
}

template <int kPending>
__device__ void wgmma_wait() {   // until all but kPending committed groups are done
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}

struct Turn {   // the stage that is next, and the parity of its phase
    int stage;
    uint32_t parity;

    __device__ void next() {
        if (++stage == kStages) {
            stage = 0;
            parity ^= 1;
        }
    }
};

// A warpgroup's 64 x kCols sums to C, 64 columns at a time through two buffers: stmatrix writes one while the copy engine empties the other.
__device__ inline void store_sums(const float (&d)[kCols / 2], const CUtensorMap* map, uint32_t buffers, int& buffer, int row, int col, int consumer) {
    const int t = threadIdx.x % kWarpgroup, lane = t % 32;
    const int line = t / 32 * 16 + lane % 16;   // of the buffer's 64 lines: where this lane's row of a matrix begins
#pragma unroll
    for (int block = 0; block < kCols / kStoreCols; ++block) {
        const uint32_t to = buffers + buffer * kBytesC;
        if (t == 0) tma_stores_read<1>();
        asm volatile("bar.sync %0, 128;" ::"r"(consumer + 1) : "memory");
#pragma unroll
        for (int pair = 0; pair < kStoreCols / 16; ++pair) {   // of 8 columns each
            const float* v = d + block * (kStoreCols / 2) + pair * 8;
            const int chunk = pair * 2 + lane / 16;
            asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
                         ::"r"(to + line * 128 + (chunk ^ (line & 7)) * 16), "r"(pack(v[0], v[1])), "r"(pack(v[2], v[3])),
                         "r"(pack(v[4], v[5])), "r"(pack(v[6], v[7])) : "memory");
        }
        asm volatile("fence.proxy.async.shared::cta;\nbar.sync %0, 128;" ::"r"(consumer + 1) : "memory");
        if (t == 0) tma_store(map, col + block * kStoreCols, row, to);
        buffer ^= 1;
    }
}

#endif

template <bool kTransposed>
__global__ void __launch_bounds__(kThreads, 1)
cluster_kernel(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b, const __grid_constant__ CUtensorMap map_c,
               const bf16* c, Problem p) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ unsigned char dynamic[];
    __shared__ uint64_t full[kStages], empty[kStages];
    const uint32_t tiles_a = (shared_address(dynamic) + 1023) / 1024 * 1024, tiles_b = tiles_a + kStages * kBytesA;
    const uint32_t stores = tiles_b + kStages * kBytesB;
    int rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        for (int s = 0; s < kStages; ++s) {
            barrier_init(&full[s], 1);
            barrier_init(&empty[s], kConsumers * kCluster);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster_barrier();

    const int64_t rows = pieces(p.m, kRows * kCluster), cols = pieces(p.n, kCols);   // of pairs of tiles
    const int steps = (int)pieces(p.k, kDepth), warpgroup = threadIdx.x / kWarpgroup;
    Turn turn = {0, 0};
    if (warpgroup == 0) {   // the producer: one thread
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0) {
            for (int64_t tile = blockIdx.x / kCluster; tile < rows * cols; tile += gridDim.x / kCluster) {
                const Place place = place_of(tile, rows, cols, kBand);
                const int row = (int)(place.row * kCluster + rank) * kRows, col = (int)place.col * kCols;
                for (int step = 0; step < steps; ++step) {
                    constexpr int kPart = kCols / kCluster;   // the columns of C that this block fetches for both
                    constexpr uint16_t kBoth = (1 << kCluster) - 1;
                    uint64_t* here = &full[turn.stage];
                    const uint32_t to_b = tiles_b + turn.stage * kBytesB;
                    barrier_wait(&empty[turn.stage], turn.parity ^ 1);   // a new barrier counts as one whose previous phase is over
                    barrier_expect(here, kBytesA + kBytesB);
                    tma_load(tiles_a + turn.stage * kBytesA, &map_a, step * kDepth, row, here);
                    if constexpr (kTransposed) {
                        tma_load_multicast(to_b + rank * kPart * 128, &map_b, step * kDepth, col + rank * kPart, here, kBoth);
                    } else {
#pragma unroll
                        for (int i = 0; i < kPart / 64; ++i) {
                            const int box = rank * (kPart / 64) + i;
                            tma_load_multicast(to_b + box * kBox, &map_b, col + box * 64, step * kDepth, here, kBoth);
                        }
                    }
                    turn.next();
                }
            }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        const int consumer = warpgroup - 1, t = threadIdx.x % kWarpgroup;
        float d[kCols / 2];
        int buffer = 0;
        const uint32_t my_stores = stores + consumer * 2 * kBytesC;
        for (int64_t tile = blockIdx.x / kCluster; tile < rows * cols; tile += gridDim.x / kCluster) {
            const Place place = place_of(tile, rows, cols, kBand);
            const int row = (int)(place.row * kCluster + rank) * kRows + consumer * 64, col = (int)place.col * kCols;
            int before = 0;   // the stage that the previous step read
            for (int step = 0; step < steps; ++step) {
                barrier_wait(&full[turn.stage], turn.parity);
                const uint64_t a = descriptor(tiles_a + turn.stage * kBytesA + consumer * 64 * 128, 16);
                const uint64_t b = descriptor(tiles_b + turn.stage * kBytesB, kTransposed ? 16 : kBox);
                asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
                for (int k = 0; k < kDepth / 16; ++k) {   // 32 bytes along a row, or 16 rows down
                    wgmma<kTransposed>(d, a + k * 32 / 16, b + k * (kTransposed ? 32 : 16 * 128) / 16, step + k > 0);
                }
                asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
                wgmma_wait<1>();   // for the previous step; this one goes on
                if (step > 0 && t < kCluster) barrier_arrive_at(&empty[before], t);   // one thread for each block
                before = turn.stage;
                turn.next();
            }
            wgmma_wait<0>();
            if (t < kCluster) barrier_arrive_at(&empty[before], t);
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
                    if (r < p.m && at < p.n) d[i] += p.beta * __bfloat162float(c[r * p.ldc + at]);
                }
            }
            store_sums(d, &map_c, my_stores, buffer, row, col, consumer);
        }
        if (t == 0) tma_stores_read<0>();   // shared memory is not given back before
    }
    cluster_barrier();   // nobody leaves while the other may still arrive at its barriers
#endif
}

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
static bool describe(Encode encode, CUtensorMap* map, const bf16* base, int64_t rows, int64_t cols, int64_t stride, int box_rows) {
    const cuuint64_t sizes[2] = {(cuuint64_t)cols, (cuuint64_t)rows}, strides[1] = {(cuuint64_t)stride * sizeof(bf16)};
    const cuuint32_t box[2] = {64, (cuuint32_t)box_rows}, every[2] = {1, 1};
    return encode(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, (void*)base, sizes, strides, box, every, CU_TENSOR_MAP_INTERLEAVE_NONE,
                  CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

template <bool kTransposed>
static cudaError_t launch(const bf16* a, const bf16* b, bf16* c, const Problem& p, cudaStream_t stream) {
    const auto kernel = cluster_kernel<kTransposed>;
    cudaFuncAttributes compiled;
    cudaError_t error = cudaFuncGetAttributes(&compiled, kernel);
    if (error != cudaSuccess) return error;
    const Encode encode = driver_encode();
    if (compiled.sharedSizeBytes == 0 || !encode) return cudaErrorNotSupported;   // built for another card than sm_90a, the kernel is empty

    CUtensorMap map_a, map_b, map_c;
    const bool described = describe(encode, &map_a, a, p.m, p.k, p.lda, kRows) && describe(encode, &map_c, c, p.m, p.n, p.ldc, 64) &&
                           (kTransposed ? describe(encode, &map_b, b, p.n, p.k, p.ldb, kCols / kCluster) : describe(encode, &map_b, b, p.k, p.n, p.ldb, kDepth));
    if (!described) return cudaErrorInvalidValue;
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared);
    if (error != cudaSuccess) return error;
    int device, multiprocessors;
    error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (error != cudaSuccess) return error;
    const int64_t tiles = pieces(p.m, kRows * kCluster) * pieces(p.n, kCols), most = multiprocessors / kCluster;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = kCluster;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)((tiles < most ? tiles : most) * kCluster));
    config.blockDim = dim3(kThreads);
    config.dynamicSmemBytes = kShared;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, map_a, map_b, map_c, (const bf16*)c, p);
}

extern "C" cudaError_t gemm_14_clusters_bf16(const bf16* a, const bf16* b, bf16* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb,
                                             int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const Problem p = {m, n, k, lda, ldb, ldc, transpose_b != 0, alpha, beta};
    const bool in_boxes = ((uintptr_t)a | (uintptr_t)b | (uintptr_t)c) % 16 == 0 && (lda | ldb | ldc) % 8 == 0;
    if (!in_boxes || k <= 0 || (m | n | k) >> 30) return launch_one_each(a, b, c, p, stream);   // a box's corner is told in int
    return transpose_b ? launch<true>(a, b, c, p, stream) : launch<false>(a, b, c, p, stream);
}
