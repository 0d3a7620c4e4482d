// hopper: what the small kernels of solutions/reading/hopper are measured beside.
//
// Bench: python bench/hopper.py
//
// The idea: the same work without the one thing that a page is about. The same tile copied by its threads; the same hand-over with
// __syncthreads; the same product on tiles in shared memory, with mma.sync; the same sums without a ring, and without a producer.
//
// But: sm_90a alone, and only sizes that the bench asks for: sides that are multiples of a tile.

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

using bf16 = __nv_bfloat16;
constexpr int kRows = 64, kCols = 32;   // of a tile of floats

__device__ inline uint32_t shared_address(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }

// --- 1: a tile through the registers of 128 threads, a V at a time --------------------------------------------------------------
template <typename V>
__global__ void plain_tiles(const float* in, float* out, int rows, int cols, int wide) {
    __shared__ alignas(128) float tile[kRows][kCols];
    constexpr int kWidth = sizeof(V) / sizeof(float);
    const int row = blockIdx.y * kRows, col = blockIdx.x * kCols;
    for (int i = threadIdx.x * kWidth; i < kRows * kCols; i += 128 * kWidth) {
        const int r = row + i / kCols, c = col + i % kCols;
        *(V*)&tile[i / kCols][i % kCols] = r < rows && c < cols ? *(const V*)&in[(int64_t)r * cols + c] : V{};
    }
    __syncthreads();
    for (int i = threadIdx.x; i < kRows * kCols; i += 128) {
        out[(int64_t)(row + i / kCols) * wide + col + i % kCols] = tile[i / kCols][i % kCols];
    }
}

template <typename V>
static cudaError_t plain(const float* in, float* out, int64_t rows, int64_t cols, cudaStream_t stream) {
    const dim3 tiles((unsigned)((cols + kCols - 1) / kCols), (unsigned)((rows + kRows - 1) / kRows));
    plain_tiles<V><<<tiles, 128, 0, stream>>>(in, out, (int)rows, (int)cols, (int)tiles.x * kCols);
    return cudaGetLastError();
}

extern "C" cudaError_t plain_4(const float* in, float* out, int64_t rows, int64_t cols, cudaStream_t stream) {
    return plain<float>(in, out, rows, cols, stream);
}

extern "C" cudaError_t plain_16(const float* in, float* out, int64_t rows, int64_t cols, cudaStream_t stream) {
    return plain<float4>(in, out, rows, cols, stream);
}

// --- 2: the hand-over of 2_mbarrier.cu with the barrier of the whole block ------------------------------------------------------
__global__ void hand_over_synced(uint32_t* out, int rounds) {
    __shared__ uint32_t slot[32];
    const uint32_t lane = threadIdx.x % 32;
    uint32_t seen = 0;
    for (int round = 0; round < rounds; ++round) {
        if (threadIdx.x < 32) slot[lane] = ((uint32_t)round * 32 + lane) * 2654435761u;
        __syncthreads();
        if (threadIdx.x >= 32) seen = seen * 31 + slot[lane];
        __syncthreads();
    }
    if (threadIdx.x >= 32) out[lane] = seen;
}

extern "C" cudaError_t synced(uint32_t* out, int64_t rounds, cudaStream_t stream) {
    hand_over_synced<<<1, 64, 0, stream>>>(out, (int)rounds);
    return cudaGetLastError();
}

// --- 3: the instructions that multiply, on tiles that stay in shared memory: c = rounds x a b^T, 64 x kN, 64 along k -------------
__device__ void copy_swizzled(bf16* tile, const bf16* from, int rows) {
    for (int i = threadIdx.x; i < rows * 8; i += 128) {
        *(uint4*)&tile[i / 8 * 64 + (i % 8 ^ i / 8 % 8) * 8] = *(const uint4*)&from[i * 8];
    }
}

__device__ uint64_t descriptor(const bf16* tile) {
    return (uint64_t)(shared_address(tile) >> 4 & 0x3fff) | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
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

template <int kN>
__device__ void wgmma(float (&d)[kN / 2], uint64_t a, uint64_t b) {
    if constexpr (kN == 64) {
        asm volatile("{\n.reg .pred add;\nsetp.eq.u32 add, 0, 0;\nwgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" NAMES_0_31
                     "}, %32, %33, add, 1, 1, 0, 0;\n}" : SUMS_32(0) : "l"(a), "l"(b));
    } else {
        asm volatile("{\n.reg .pred add;\nsetp.eq.u32 add, 0, 0;\nwgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {" NAMES_0_31 ", "
                     NAMES_32_63 ", " NAMES_64_127 "}, %128, %129, add, 1, 1, 0, 0;\n}"
                     : SUMS_32(0), SUMS_32(32), SUMS_32(64), SUMS_32(96) : "l"(a), "l"(b));
    }
}

template <int kN>
__global__ void __launch_bounds__(128) wgmma_rate(const bf16* a, const bf16* b, float* c, int rounds) {
    __shared__ alignas(1024) bf16 tile_a[64 * 64], tile_b[kN * 64];
    copy_swizzled(tile_a, a, 64);
    copy_swizzled(tile_b, b, kN);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    float d[kN / 2] = {};
    for (int round = 0; round < rounds; ++round) {
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int s = 0; s < 4; ++s) wgmma<kN>(d, descriptor(tile_a) + 2 * s, descriptor(tile_b) + 2 * s);
        asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 1;" ::: "memory");
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < kN / 2; ++i) asm volatile("" : "+f"(d[i])::"memory");
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int i = 0; i < kN / 2; ++i) {   // every block has the same sums
        c[(warp * 16 + lane / 4 + i / 2 % 2 * 8) * kN + i / 4 * 8 + lane % 4 * 2 + i % 2] = d[i];
    }
}

extern "C" cudaError_t wgmma_64(const bf16* a, const bf16* b, float* c, int64_t blocks, int64_t rounds, cudaStream_t stream) {
    wgmma_rate<64><<<(unsigned)blocks, 128, 0, stream>>>(a, b, c, (int)rounds);
    return cudaGetLastError();
}

extern "C" cudaError_t wgmma_256(const bf16* a, const bf16* b, float* c, int64_t blocks, int64_t rounds, cudaStream_t stream) {
    wgmma_rate<256><<<(unsigned)blocks, 128, 0, stream>>>(a, b, c, (int)rounds);
    return cudaGetLastError();
}

__device__ void load_fragments(uint32_t (&r)[4], const bf16* tile, int row, int piece) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(&tile[row * 64 + (piece ^ row % 8) * 8])) : "memory");
}

// 64 x 128 by a block, 64 x 32 by each of its warps. With kLoad its fragments are loaded for each product anew, as from a new tile.
template <bool kLoad>
__global__ void __launch_bounds__(128) mma_rate(const bf16* a, const bf16* b, float* c, int rounds) {
    __shared__ alignas(1024) bf16 tile_a[64 * 64], tile_b[128 * 64];
    copy_swizzled(tile_a, a, 64);
    copy_swizzled(tile_b, b, 128);
    __syncthreads();
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float d[4][4][4] = {};
    uint32_t fa[4][4], fb[2][4];
    auto load = [&](int s) {
        for (int i = 0; i < 4; ++i) load_fragments(fa[i], tile_a, i * 16 + lane % 16, 2 * s + lane / 16);
        for (int j = 0; j < 2; ++j) load_fragments(fb[j], tile_b, warp * 32 + j * 16 + lane / 16 * 8 + lane % 8, 2 * s + lane / 8 % 2);
    };
    load(0);
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int s = 0; s < 4; ++s) {
            if (kLoad) load(s);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    float* t = d[i][j];
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                                 : "+f"(t[0]), "+f"(t[1]), "+f"(t[2]), "+f"(t[3])
                                 : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j / 2][j % 2 * 2]), "r"(fb[j / 2][j % 2 * 2 + 1]));
                }
            }
        }
    }
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            for (int e = 0; e < 4; ++e) c[(i * 16 + lane / 4 + e / 2 * 8) * 128 + warp * 32 + j * 8 + lane % 4 * 2 + e % 2] = d[i][j][e];
        }
    }
}

extern "C" cudaError_t mma_registers(const bf16* a, const bf16* b, float* c, int64_t blocks, int64_t rounds, cudaStream_t stream) {
    mma_rate<false><<<(unsigned)blocks, 128, 0, stream>>>(a, b, c, (int)rounds);
    return cudaGetLastError();
}

extern "C" cudaError_t mma_shared(const bf16* a, const bf16* b, float* c, int64_t blocks, int64_t rounds, cudaStream_t stream) {
    mma_rate<true><<<(unsigned)blocks, 128, 0, stream>>>(a, b, c, (int)rounds);
    return cudaGetLastError();
}

// --- 4: the sums of 4_producer.cu without a ring, and with the ring but one of the consumers asking ------------------------------
constexpr int kStages = 4, kConsumers = 256, kMine = kRows / (kConsumers / 32);

__device__ void write_sums(const float (&sums)[kMine], float* out, int row) {
    for (int i = 0; i < kMine; ++i) {
        float sum = sums[i];
        for (int away = 16; away > 0; away /= 2) sum += __shfl_xor_sync(0xffffffff, sum, away);
        if (threadIdx.x % 32 == 0) out[row + i] = sum;
    }
}

__global__ void __launch_bounds__(kConsumers) sum_rows_plain(const float* x, float* out, int cols) {
    const int row = blockIdx.x * kRows + threadIdx.x / 32 * kMine;
    float sums[kMine] = {};
    for (int c = threadIdx.x % 32; c < cols; c += 32) {
        for (int i = 0; i < kMine; ++i) sums[i] += expf(x[(int64_t)(row + i) * cols + c]);
    }
    write_sums(sums, out, row);
}

// One block for each multiprocessor, as with the producer: its bytes in flight are those of the ring.
__global__ void __launch_bounds__(kConsumers, 1) sum_rows_alone(const __grid_constant__ CUtensorMap map, float* out, int cols) {
    extern __shared__ float room[];   // beside the ring: so much that there is no room for a second block
    __shared__ alignas(128) float tiles[kStages][kRows][kCols];
    __shared__ uint64_t full[kStages];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, steps = cols / kCols;
    if (threadIdx.x == 0) {
        for (int s = 0; s < kStages; ++s) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&full[s])) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    auto ask = [&](int step) {
        const int stage = step % kStages;
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n"
                     "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%2], [%3, {%4, %5}], [%0];"
                     ::"r"(shared_address(&full[stage])), "r"(kRows * kCols * 4), "r"(shared_address(tiles[stage])), "l"(&map),
                     "r"(step * kCols), "r"((int)blockIdx.x * kRows) : "memory");
    };
    if (threadIdx.x == 0) {
        for (int step = 0; step < kStages && step < steps; ++step) ask(step);
    }
    float sums[kMine] = {};
    for (int step = 0; step < steps; ++step) {
        uint32_t over;
        do {
            asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                         : "=r"(over) : "r"(shared_address(&full[step % kStages])), "r"(step / kStages % 2) : "memory");
        } while (!over);
        for (int i = 0; i < kMine; ++i) sums[i] += expf(tiles[step % kStages][warp * kMine + i][lane]);
        __syncthreads();
        if (threadIdx.x == 0 && step + kStages < steps) ask(step + kStages);
    }
    write_sums(sums, out, blockIdx.x * kRows + warp * kMine);
    if (cols < 0) out[0] = room[0];
}

using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*, const cuuint64_t*, const cuuint32_t*,
                            const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

extern "C" cudaError_t sums_plain(const float* x, float* out, int64_t rows, int64_t cols, cudaStream_t stream) {
    sum_rows_plain<<<(unsigned)(rows / kRows), kConsumers, 0, stream>>>(x, out, (int)cols);
    return cudaGetLastError();
}

extern "C" cudaError_t sums_alone(const float* x, float* out, int64_t rows, int64_t cols, cudaStream_t stream) {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult how;
    cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &how);
    if (error != cudaSuccess || !found) return cudaErrorNotSupported;
    CUtensorMap map;
    const cuuint64_t sizes[2] = {(cuuint64_t)cols, (cuuint64_t)rows}, strides[1] = {(cuuint64_t)cols * sizeof(float)};
    const cuuint32_t box[2] = {kCols, kRows}, every[2] = {1, 1};
    if (((Encode)found)(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void*)x, sizes, strides, box, every, CU_TENSOR_MAP_INTERLEAVE_NONE,
                        CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS) {
        return cudaErrorInvalidValue;
    }
    constexpr int kRoom = 96 << 10;
    error = cudaFuncSetAttribute(sum_rows_alone, cudaFuncAttributeMaxDynamicSharedMemorySize, kRoom);
    if (error != cudaSuccess) return error;
    sum_rows_alone<<<(unsigned)(rows / kRows), kConsumers, kRoom, stream>>>(map, out, (int)cols);
    return cudaGetLastError();
}
