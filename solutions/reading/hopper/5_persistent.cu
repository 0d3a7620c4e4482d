// 5_persistent: as many blocks as the card holds take tile after tile, and ask for the next before they work on one: y = tanh(x).
//
// Run: nvcc -arch=compute_90a -code=sm_90a -o persistent solutions/reading/hopper/5_persistent.cu && ./persistent
//
// The idea: the loop over tiles is in the kernel, and the grid is a choice of the launcher's. A block that stays has the next
// tile on its way while it computes and stores this one; a block for each tile begins with nothing, waits, and ends.
//
// But: which block takes which tile is decided before any of them runs. Where tiles cost unequal time, the last one is late.

#include <cuda.h>   // CUtensorMap; the one function of the driver that is called is asked for at run time
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <vector>

constexpr int kRows = 64, kCols = 32;   // of a tile: 8 KB
constexpr int kThreads = 128;

__device__ uint32_t shared_address(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }

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

// y = tanh(x), both rows x cols.
__global__ void tanh_tiles(const __grid_constant__ CUtensorMap map, float* y, int rows, int cols) {
    __shared__ alignas(128) float tiles[2][kRows][kCols];   // one is worked on, the other on its way
    __shared__ uint64_t arrived[2];
    const int across = (cols + kCols - 1) / kCols, count = (rows + kRows - 1) / kRows * across;
    if (threadIdx.x == 0) {
        for (int s = 0; s < 2; ++s) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&arrived[s])) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        ask_for_tile(tiles[0], &map, blockIdx.x / across * kRows, blockIdx.x % across * kCols, &arrived[0]);
    }
    __syncthreads();
    for (int tile = blockIdx.x, turn = 0; tile < count; tile += gridDim.x, ++turn) {
        const int next = tile + gridDim.x;
        if (threadIdx.x == 0 && next < count) {   // the other place was read in the turn before
            ask_for_tile(tiles[(turn + 1) % 2], &map, next / across * kRows, next % across * kCols, &arrived[(turn + 1) % 2]);
        }
        wait_for(&arrived[turn % 2], turn / 2 % 2);
        const int row = tile / across * kRows, col = tile % across * kCols;
        for (int i = threadIdx.x; i < kRows * kCols; i += kThreads) {
            const int r = row + i / kCols, c = col + i % kCols;
            if (r < rows && c < cols) y[(int64_t)r * cols + c] = tanhf(tiles[turn % 2][i / kCols][i % kCols]);
        }
        __syncthreads();   // everybody has read this place
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

// cols is a multiple of 4. `per_sm` blocks for each multiprocessor, or, with 0, one for each tile.
extern "C" cudaError_t persistent(const float* x, float* y, int64_t rows, int64_t cols, int64_t per_sm, cudaStream_t stream) {
    CUtensorMap map;
    if (!describe(&map, x, (int)rows, (int)cols)) return cudaErrorNotSupported;
    const int64_t tiles = (rows + kRows - 1) / kRows * ((cols + kCols - 1) / kCols);
    int device, multiprocessors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    const int64_t stay = per_sm * multiprocessors;
    tanh_tiles<<<(unsigned)(per_sm == 0 || tiles < stay ? tiles : stay), kThreads, 0, stream>>>(map, y, (int)rows, (int)cols);
    return cudaGetLastError();
}

int main() {
    const int rows = 1500, cols = 1000;   // 24 x 32 tiles, cut at the right and below
    std::vector<float> x(rows * cols), y(rows * cols);
    for (int i = 0; i < rows * cols; ++i) x[i] = (float)(i * 37 % 1009) / 200.0f - 2.5f;
    float *x_d, *y_d;
    cudaMalloc(&x_d, x.size() * sizeof(float));
    cudaMalloc(&y_d, y.size() * sizeof(float));
    cudaMemcpy(x_d, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice);
    int failed = 0;
    for (int per_sm = 0; per_sm <= 2; per_sm += 2) {
        cudaMemset(y_d, 0xff, y.size() * sizeof(float));
        cudaError_t error = persistent(x_d, y_d, rows, cols, per_sm, 0);
        if (error == cudaSuccess) error = cudaMemcpy(y.data(), y_d, y.size() * sizeof(float), cudaMemcpyDeviceToHost);
        int wrong = 0;
        for (int i = 0; i < rows * cols; ++i) wrong += !(fabsf(y[i] - tanhf(x[i])) <= 1e-6f);
        printf("5_persistent, %d per multiprocessor: %s, %d of %d elements wrong\n", per_sm, cudaGetErrorString(error), wrong, rows * cols);
        failed |= error != cudaSuccess || wrong != 0;
    }
    cudaFree(x_d), cudaFree(y_d);
    return failed;
}
