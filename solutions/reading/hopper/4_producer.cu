// 4_producer: a warpgroup asks for tiles, two add them up: out[r] is the sum of exp(x) over row r.
//
// Run: nvcc -arch=compute_90a -code=sm_90a -o producer solutions/reading/hopper/4_producer.cu && ./producer
//
// The idea: a division of labour around a ring of tiles. One thread of the producer asks for tile after tile, as far ahead as the ring is
// long; the consumers find tiles that are there. Two barriers for each place of the ring: `full` (the bytes have arrived) and `empty`
// (all consumers have read them). The producer needs few registers, and gives its own to the consumers.
//
// But: a band of 64 rows for each block, and then it ends. This sum could do with fewer registers; a product of matrices could not.

#include <cuda.h>   // CUtensorMap; the one function of the driver that is called is asked for at run time
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <vector>

constexpr int kRows = 64, kCols = 32, kStages = 4;      // of a tile, 8 KB; places of the ring, 32 KB
constexpr int kGroup = 128, kThreads = 3 * kGroup;      // threads of a warpgroup; the producer's, and those of two consumers
constexpr int kWarps = 2 * kGroup / 32, kMine = kRows / kWarps;   // warps that consume; rows of each

__device__ uint32_t shared_address(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }

__device__ void init(uint64_t* barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

__device__ void arrive(uint64_t* barrier) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory"); }

__device__ void wait_for(uint64_t* barrier, uint32_t parity) {
    uint32_t over;
    do {
        asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                     : "=r"(over) : "r"(shared_address(barrier)), "r"(parity) : "memory");
    } while (!over);
}

// One thread: a tile whose first element is at (row, col) of the matrix, which may lie outside.
__device__ void ask_for_tile(void* tile, const CUtensorMap* map, int row, int col, uint64_t* barrier) {
    // the bytes to wait for: always a whole tile
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(kRows * kCols * 4) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 ::"r"(shared_address(tile)), "l"(map), "r"(col), "r"(row), "r"(shared_address(barrier)) : "memory");
}

// x is rows x cols; a block takes 64 rows.
__global__ void __launch_bounds__(kThreads, 1) sum_rows(const __grid_constant__ CUtensorMap map, float* out, int rows, int cols) {
    __shared__ alignas(128) float tiles[kStages][kRows][kCols];
    __shared__ uint64_t full[kStages], empty[kStages];
    const int row = blockIdx.x * kRows, steps = (cols + kCols - 1) / kCols;
    if (threadIdx.x == 0) {
        for (int s = 0; s < kStages; ++s) {
            init(&full[s], 1);          // the producer's thread, and the bytes that it says are to come
            init(&empty[s], kWarps);    // one thread of each consuming warp
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();   // the last barrier of the whole block: from here on the roles part

    if (threadIdx.x < kGroup) {   // the producer: all of its warps give registers back, one thread works
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0) {
            for (int step = 0; step < steps; ++step) {
                const int stage = step % kStages, parity = step / kStages % 2;   // flips each time round the ring
                wait_for(&empty[stage], parity ^ 1);   // the first time round nobody has to have read
                ask_for_tile(tiles[stage], &map, row, step * kCols, &full[stage]);
            }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        const int warp = threadIdx.x / 32 - kGroup / 32, lane = threadIdx.x % 32;
        float sums[kMine] = {};   // a warp has 8 of the 64 rows, a lane a column of them
        for (int step = 0; step < steps; ++step) {
            const int stage = step % kStages, parity = step / kStages % 2;
            wait_for(&full[stage], parity);
            for (int i = 0; i < kMine; ++i) {
                const float v = tiles[stage][warp * kMine + i][lane];
                if (step * kCols + lane < cols) sums[i] += expf(v);   // outside there are zeros, and exp(0) is not 0
            }
            __syncwarp();                          // all lanes have read
            if (lane == 0) arrive(&empty[stage]);
        }
        for (int i = 0; i < kMine; ++i) {
            for (int away = 16; away > 0; away /= 2) sums[i] += __shfl_xor_sync(0xffffffff, sums[i], away);
            const int r = row + warp * kMine + i;
            if (lane == 0 && r < rows) out[r] = sums[i];
        }
    }
}

// As in 1_tensor_map.cu.
using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*, const cuuint64_t*,
                            const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                            CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
static bool describe(CUtensorMap* map, const float* matrix, int rows, int cols) {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult how;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &how);
    if (!found) return false;
    const cuuint64_t sizes[2] = {(cuuint64_t)cols, (cuuint64_t)rows}, strides[1] = {(cuuint64_t)cols * sizeof(float)};
    const cuuint32_t box[2] = {kCols, kRows}, every[2] = {1, 1};
    return ((Encode)found)(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void*)matrix, sizes, strides, box, every,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

// cols is a multiple of 4.
extern "C" cudaError_t producer(const float* x, float* out, int64_t rows, int64_t cols, cudaStream_t stream) {
    CUtensorMap map;
    if (!describe(&map, x, (int)rows, (int)cols)) return cudaErrorNotSupported;
    sum_rows<<<(unsigned)((rows + kRows - 1) / kRows), kThreads, 0, stream>>>(map, out, (int)rows, (int)cols);
    return cudaGetLastError();
}

int main() {
    const int rows = 200, cols = 500;   // 4 bands, 16 tiles each: four times round the ring
    std::vector<float> x(rows * cols), out(rows);
    for (int i = 0; i < rows * cols; ++i) x[i] = (float)(i * 37 % 101) / 50.0f - 1.0f;
    float *x_d, *out_d;
    cudaMalloc(&x_d, x.size() * sizeof(float));
    cudaMalloc(&out_d, out.size() * sizeof(float));
    cudaMemcpy(x_d, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaError_t error = producer(x_d, out_d, rows, cols, 0);
    if (error == cudaSuccess) error = cudaMemcpy(out.data(), out_d, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int r = 0; r < rows; ++r) {
        double sum = 0.0;
        for (int c = 0; c < cols; ++c) sum += exp((double)x[r * cols + c]);
        wrong += !(fabs(out[r] - sum) <= 1e-5 * sum);
    }
    printf("4_producer: %s, %d of %d rows wrong\n", cudaGetErrorString(error), wrong, rows);
    cudaFree(x_d), cudaFree(out_d);
    return error != cudaSuccess || wrong != 0;
}
