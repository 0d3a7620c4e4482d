// 1_tensor_map: one thread asks the copy engine (TMA) for a tile of a matrix, and a barrier says when it has arrived.
//
// Run: nvcc -arch=compute_90a -code=sm_90a -o tensor_map solutions/reading/hopper/1_tensor_map.cu && ./tensor_map
//
// The idea: a tensor map says once, on the host, where the matrix lies, how large it is and how large a tile is. In the
// kernel a tile is two coordinates: no thread computes an address or tests a bound, no register holds an element on its
// way, and what lies outside of the matrix arrives as zeros.
//
// But: each block asks for a single tile and waits for it.

#include <cuda.h>   // CUtensorMap; the one function of the driver that is called is asked for at run time
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <vector>

constexpr int kRows = 64, kCols = 32;   // of a tile: 8 KB, its rows 128 bytes
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

// A block copies a tile; `out` has whole tiles, `wide` elements per row.
__global__ void copy_tiles(const __grid_constant__ CUtensorMap map, float* out, int wide) {
    __shared__ alignas(128) float tile[kRows][kCols];   // TMA wants a multiple of 128 bytes
    __shared__ uint64_t arrived;
    const int row = blockIdx.y * kRows, col = blockIdx.x * kCols;
    if (threadIdx.x == 0) {   // a barrier for one arrival; the fence lets the engine see it
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;"
                     ::"r"(shared_address(&arrived)) : "memory");
    }
    __syncthreads();   // nobody waits for a barrier that is not there yet
    if (threadIdx.x == 0) ask_for_tile(tile, &map, row, col, &arrived);
    wait_for(&arrived, 0);
    for (int i = threadIdx.x; i < kRows * kCols; i += kThreads) {
        out[(int64_t)(row + i / kCols) * wide + col + i % kCols] = tile[i / kCols][i % kCols];
    }
}

using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*, const cuuint64_t*,
                            const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                            CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

// Sizes and strides begin with the innermost side; the strides, in bytes, are multiples of 16, and so is the address.
static bool describe(CUtensorMap* map, const float* matrix, int rows, int cols) {
    void* found = nullptr;   // cuTensorMapEncodeTiled, without linking to libcuda
    cudaDriverEntryPointQueryResult how;
    if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &how) != cudaSuccess ||
        how != cudaDriverEntryPointSuccess) return false;
    const cuuint64_t sizes[2] = {(cuuint64_t)cols, (cuuint64_t)rows}, strides[1] = {(cuuint64_t)cols * sizeof(float)};
    const cuuint32_t box[2] = {kCols, kRows}, every[2] = {1, 1};
    return ((Encode)found)(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void*)matrix, sizes, strides, box, every,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

// out: rows and cols rounded up to whole tiles. cols is a multiple of 4.
extern "C" cudaError_t tensor_map(const float* in, float* out, int64_t rows, int64_t cols, cudaStream_t stream) {
    CUtensorMap map;
    if (!describe(&map, in, (int)rows, (int)cols)) return cudaErrorNotSupported;
    const dim3 tiles((unsigned)((cols + kCols - 1) / kCols), (unsigned)((rows + kRows - 1) / kRows));
    copy_tiles<<<tiles, kThreads, 0, stream>>>(map, out, (int)tiles.x * kCols);
    return cudaGetLastError();
}

int main() {
    const int rows = 150, cols = 100, tall = 192, wide = 128;   // 3 x 4 tiles, cut at the right and below
    std::vector<float> in(rows * cols), out(tall * wide);
    for (int i = 0; i < rows * cols; ++i) in[i] = (float)(i + 1);
    float *in_d, *out_d;
    cudaMalloc(&in_d, in.size() * sizeof(float));
    cudaMalloc(&out_d, out.size() * sizeof(float));
    cudaMemcpy(in_d, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaError_t error = tensor_map(in_d, out_d, rows, cols, 0);
    if (error == cudaSuccess) error = cudaMemcpy(out.data(), out_d, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int r = 0; r < tall; ++r) {
        for (int c = 0; c < wide; ++c) wrong += out[r * wide + c] != (r < rows && c < cols ? in[r * cols + c] : 0.0f);
    }
    printf("1_tensor_map: %s, %d of %d elements wrong\n", cudaGetErrorString(error), wrong, tall * wide);
    cudaFree(in_d), cudaFree(out_d);
    return error != cudaSuccess || wrong != 0;
}
