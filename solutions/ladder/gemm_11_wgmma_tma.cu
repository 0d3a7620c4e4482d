// gemm_11_wgmma_tma: C = alpha A B + beta C, or A B^T, Hopper's own multiplier and copy engine.
//
// Check: python -m pytest tests/grading/test_gemm_ladder.py -k gemm_11_wgmma_tma
// Bench: python bench/gemm.py
//
// The new idea: wgmma and TMA. A warpgroup (four warps) multiplies 64 x 16 by 16 x 128 in one instruction, both operands straight from shared memory, and does not
// wait for it. A thread alone fetches whole tiles: it tells the copy engine (TMA) a box of a matrix, and an mbarrier when all of its bytes have come. The
// engine writes the box swizzled, as wgmma reads it, and zeros where the box lies outside of the matrix: no tails, no addresses.
//
// Ledger: loads 0.03125 bytes per FMA from global memory
//
// But: the thread that asks for the next tile is one of those that multiply, and asks only when all of them have finished with the stage.

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

constexpr int kRows = 128, kCols = 128, kDepth = 64;   // of a block's tile of C, and along k: 128 bytes, the widest row that is swizzled
constexpr int kWarpgroup = 128;                        // threads that issue a wgmma together, for 64 rows of C
constexpr int kThreads = 2 * kWarpgroup;
constexpr int kStages = 4;
constexpr int kBytesA = kRows * kDepth * 2, kBytesB = kCols * kDepth * 2;
constexpr int kBox = kDepth * 128;                     // bytes of a box of 64 columns of a B that runs along n
constexpr int kShared = kStages * (kBytesA + kBytesB) + 1024;   // and room to begin at a multiple of 1024

__host__ __device__ constexpr int64_t pieces(int64_t whole, int64_t piece) { return (whole + piece - 1) / piece; }

__device__ inline uint32_t shared_address(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

__device__ inline void barrier_init(uint64_t* barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

// Arrives, and has the barrier wait for `bytes` of the copy engine as well.
__device__ inline void barrier_expect(uint64_t* barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes) : "memory");
}

__device__ inline void barrier_wait(uint64_t* barrier, uint32_t parity) {   // until the phase of this parity is over
    uint32_t over;
    do {
        asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                     : "=r"(over) : "r"(shared_address(barrier)), "r"(parity) : "memory");
    } while (!over);
}

// A box of a matrix to shared memory, its corner at element (col, row); what lies outside of the matrix arrives as zeros.
__device__ inline void tma_load(uint32_t to, const CUtensorMap* map, int col, int row, uint64_t* barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 ::"r"(to), "l"(map), "r"(col), "r"(row), "r"(shared_address(barrier)) : "memory");
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
#define SUMS_8(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define SUMS_32(i) SUMS_8(i), SUMS_8(i + 8), SUMS_8(i + 16), SUMS_8(i + 24)

// d = a b (+ d where `add`): 64 x kCols, 16 of K, by the 128 threads of a warpgroup; it goes on while they do something else.
template <bool kTransposed>
__device__ void wgmma(float (&d)[kCols / 2], uint64_t a, uint64_t b, int add) {
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\nwgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" NAMES_0_31 ", " NAMES_32_63
                 "}, %64, %65, p, 1, 1, 0, %67;\n}"
                 : SUMS_32(0), SUMS_32(32) : "l"(a), "l"(b), "r"(add), "n"((int)!kTransposed));
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

// A warpgroup's 64 x kCols sums to C. Warp w holds rows 16 w to 16 w + 15, in fragments of 8 columns as mma.sync's are.
__device__ inline void write_sums(const float (&d)[kCols / 2], bf16* c, const Problem& p, int64_t row, int64_t col) {
    const int t = threadIdx.x % kWarpgroup, lane = t % 32;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const int64_t r = row + t / 32 * 16 + half * 8 + lane / 4;
#pragma unroll
        for (int j = 0; j < kCols / 8; ++j) {
            const int64_t at = col + j * 8 + lane % 4 * 2;
            if (r >= p.m || at >= p.n) continue;
            bf16* to = &c[r * p.ldc + at];   // on a 4-byte boundary: C's rows begin on one of 16 bytes
            float low = p.alpha * d[j * 4 + half * 2], high = p.alpha * d[j * 4 + half * 2 + 1];
            if (p.beta != 0.0f) {
                low += p.beta * __bfloat162float(to[0]);
                if (at + 1 < p.n) high += p.beta * __bfloat162float(to[1]);
            }
            if (at + 1 < p.n) *(__nv_bfloat162*)to = __floats2bfloat162_rn(low, high);
            else *to = __float2bfloat16_rn(low);
        }
    }
}

#endif

template <bool kTransposed>
__global__ void __launch_bounds__(kThreads)
wgmma_tma_kernel(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b, bf16* c, Problem p) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ unsigned char dynamic[];
    __shared__ uint64_t full[kStages];
    const uint32_t tiles_a = (shared_address(dynamic) + 1023) / 1024 * 1024, tiles_b = tiles_a + kStages * kBytesA;
    const int64_t across = pieces(p.n, kCols);
    const int row = (int)(blockIdx.x / across) * kRows, col = (int)(blockIdx.x % across) * kCols;
    const int steps = (int)pieces(p.k, kDepth), warpgroup = threadIdx.x / kWarpgroup;
    if (threadIdx.x == 0) {
        for (int s = 0; s < kStages; ++s) barrier_init(&full[s], 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");   // the copy engine is to see them too
    }
    __syncthreads();

    auto fetch = [&](int step, int stage) {
        uint64_t* here = &full[stage];
        const uint32_t to_b = tiles_b + stage * kBytesB;
        barrier_expect(here, kBytesA + kBytesB);
        tma_load(tiles_a + stage * kBytesA, &map_a, step * kDepth, row, here);
        if constexpr (kTransposed) {
            tma_load(to_b, &map_b, step * kDepth, col, here);
        } else {
            for (int box = 0; box < kCols / 64; ++box) tma_load(to_b + box * kBox, &map_b, col + box * 64, step * kDepth, here);
        }
    };
    if (threadIdx.x == 0) {
        for (int s = 0; s < kStages && s < steps; ++s) fetch(s, s);
    }
    float d[kCols / 2];
    Turn turn = {0, 0};
    for (int step = 0; step < steps; ++step) {
        barrier_wait(&full[turn.stage], turn.parity);
        const uint64_t a = descriptor(tiles_a + turn.stage * kBytesA + warpgroup * 64 * 128, 16);
        const uint64_t b = descriptor(tiles_b + turn.stage * kBytesB, kTransposed ? 16 : kBox);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int k = 0; k < kDepth / 16; ++k) {   // 32 bytes along a row, or 16 rows down
            wgmma<kTransposed>(d, a + k * 32 / 16, b + k * (kTransposed ? 32 : 16 * 128) / 16, step + k > 0);
        }
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        wgmma_wait<0>();
        __syncthreads();   // both warpgroups have read this stage
        if (threadIdx.x == 0 && step + kStages < steps) fetch(step + kStages, turn.stage);
        turn.next();
    }
#pragma unroll
    for (int i = 0; i < kCols / 2; ++i) asm volatile("" : "+f"(d[i])::"memory");   // nobody reads the sums before the wait
    write_sums(d, c, p, row + warpgroup * 64, col);
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
    const auto kernel = wgmma_tma_kernel<kTransposed>;
    cudaFuncAttributes compiled;
    cudaError_t error = cudaFuncGetAttributes(&compiled, kernel);
    if (error != cudaSuccess) return error;
    const Encode encode = driver_encode();
    if (compiled.sharedSizeBytes == 0 || !encode) return cudaErrorNotSupported;   // built for another card than sm_90a, the kernel is empty

    CUtensorMap map_a, map_b;
    const bool described = describe(encode, &map_a, a, p.m, p.k, p.lda, kRows) &&
                           (kTransposed ? describe(encode, &map_b, b, p.n, p.k, p.ldb, kCols) : describe(encode, &map_b, b, p.k, p.n, p.ldb, kDepth));
    if (!described) return cudaErrorInvalidValue;
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared);
    if (error != cudaSuccess) return error;
    const int64_t tiles = pieces(p.m, kRows) * pieces(p.n, kCols);
    if (tiles > 2147483647) return cudaErrorInvalidConfiguration;
    kernel<<<(unsigned)tiles, kThreads, kShared, stream>>>(map_a, map_b, c, p);
    return cudaGetLastError();
}

extern "C" cudaError_t gemm_11_wgmma_tma_bf16(const bf16* a, const bf16* b, bf16* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb,
                                              int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const Problem p = {m, n, k, lda, ldb, ldc, transpose_b != 0, alpha, beta};
    const bool in_boxes = ((uintptr_t)a | (uintptr_t)b | (uintptr_t)c) % 16 == 0 && (lda | ldb | ldc) % 8 == 0;
    if (!in_boxes || k <= 0 || (m | n | k) >> 30) return launch_one_each(a, b, c, p, stream);   // a box's corner is told in int
    return transpose_b ? launch<true>(a, b, c, p, stream) : launch<false>(a, b, c, p, stream);
}
