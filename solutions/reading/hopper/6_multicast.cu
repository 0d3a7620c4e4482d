// 6_multicast: two blocks of a cluster need the same tiles; each asks for half of each tile, for both: out[i] = sum of |q[i] - b|.
//
// Run: nvcc -arch=compute_90a -code=sm_90a -o multicast solutions/reading/hopper/6_multicast.cu && ./multicast
//
// The idea: a copy may name several blocks of the cluster. Its bytes are read once, from L2, and written to the same place in the shared
// memory of each, and each block's own barrier counts them. A place may be asked for anew when *both* blocks have read it.
//
// But: a place is empty only when the slower of the two blocks has read it, and a cluster must fit into one group of multiprocessors (GPC).

#include <cuda.h>   // CUtensorMap; the one function of the driver that is called is asked for at run time
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <vector>

constexpr int kCols = 32, kRows = 128, kHalf = kRows / 2;   // a tile is 16 KB, and a box, half of it, 8 KB
constexpr int kThreads = 256, kWarps = kThreads / 32;

__device__ uint32_t shared_address(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }

__device__ void init(uint64_t* barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

__device__ void wait_for(uint64_t* barrier, uint32_t parity) {
    uint32_t over;
    do {
        asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                     : "=r"(over) : "r"(shared_address(barrier)), "r"(parity) : "memory");
    } while (!over);
}

// A half of a tile, from row `row` of the matrix, to the same place in every block of `blocks`, a bit each; each one's barrier counts it.
__device__ void ask_for_half(void* half, const CUtensorMap* map, int row, uint64_t* barrier, uint16_t blocks) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;"
                 ::"r"(shared_address(half)), "l"(map), "r"(0), "r"(row), "r"(shared_address(barrier)), "h"(blocks) : "memory");
}

__device__ void arrive_at(uint64_t* barrier, int rank) {   // at the barrier of this name in block `rank` of the cluster
    asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\nmbarrier.arrive.shared::cluster.b64 _, [there];\n}"
                 ::"r"(shared_address(barrier)), "r"(rank) : "memory");
}

// b has `tiles` tiles, one below the other; each block goes through all of them, with one q.
template <bool kShared>
__global__ void __cluster_dims__(2, 1, 1) sum_distances(const __grid_constant__ CUtensorMap map, const float* q, float* out, int tiles) {
    __shared__ alignas(128) float places[2][2][kHalf][kCols];   // two tiles, of two halves
    __shared__ uint64_t full[2], empty[2];
    __shared__ float of_warps[kWarps];
    const auto cluster = cooperative_groups::this_cluster();
    const int rank = (int)cluster.block_rank(), lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        for (int s = 0; s < 2; ++s) init(&full[s], 1), init(&empty[s], 2 * kWarps);   // the warps of both blocks
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster.sync();   // the other's barriers are there, too
    auto ask = [&](int tile) {
        const int place = tile % 2;
        wait_for(&empty[place], tile / 2 % 2 ^ 1);   // both blocks have read what was there
        // a whole tile is to come, whoever asks for its halves
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                     ::"r"(shared_address(&full[place])), "r"(kRows * kCols * 4) : "memory");
        for (int half = 0; half < 2; ++half) {
            if (kShared && half != rank) continue;   // the other block asks for it, for both
            ask_for_half(places[place][half], &map, tile * kRows + half * kHalf, &full[place], kShared ? 3 : 1 << rank);
        }
    };
    if (threadIdx.x == 0) ask(0);
    const float mine = q[blockIdx.x];
    float sum = 0.0f;
    for (int tile = 0; tile < tiles; ++tile) {
        if (threadIdx.x == 0 && tile + 1 < tiles) ask(tile + 1);
        wait_for(&full[tile % 2], tile / 2 % 2);
        const float* b = &places[tile % 2][0][0][0];
        for (int i = threadIdx.x; i < kRows * kCols; i += kThreads) sum += fabsf(mine - b[i]);
        __syncwarp();
        if (lane < 2) arrive_at(&empty[tile % 2], lane);   // this warp has read this place: lane 0 tells block 0, lane 1 block 1
    }
    for (int away = 16; away > 0; away /= 2) sum += __shfl_xor_sync(0xffffffff, sum, away);
    if (lane == 0) of_warps[threadIdx.x / 32] = sum;
    cluster.sync();   // and nobody leaves while the other may still arrive at its barriers
    if (threadIdx.x == 0) {
        for (int w = 1; w < kWarps; ++w) sum += of_warps[w];
        out[blockIdx.x] = sum;
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
    const cuuint32_t box[2] = {kCols, kHalf}, every[2] = {1, 1};
    return ((Encode)found)(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void*)matrix, sizes, strides, box, every,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

// b: `tiles` tiles of 128 x 32. `queries` is even: two blocks share a cluster.
extern "C" cudaError_t multicast(const float* b, const float* q, float* out, int64_t tiles, int64_t queries, int64_t share, cudaStream_t stream) {
    CUtensorMap map;
    if (!describe(&map, b, (int)tiles * kRows, kCols)) return cudaErrorNotSupported;
    if (share) sum_distances<true><<<(unsigned)queries, kThreads, 0, stream>>>(map, q, out, (int)tiles);
    else sum_distances<false><<<(unsigned)queries, kThreads, 0, stream>>>(map, q, out, (int)tiles);
    return cudaGetLastError();
}

int main() {
    const int tiles = 7, queries = 6, count = tiles * kRows * kCols;
    std::vector<float> b(count), q(queries), out(queries);
    for (int i = 0; i < count; ++i) b[i] = (float)(i * 37 % 101) / 64.0f;   // in fp32 these sums are exact
    for (int i = 0; i < queries; ++i) q[i] = (float)i / 4.0f;
    float *b_d, *q_d, *out_d;
    cudaMalloc(&b_d, b.size() * sizeof(float));
    cudaMalloc(&q_d, q.size() * sizeof(float));
    cudaMalloc(&out_d, out.size() * sizeof(float));
    cudaMemcpy(b_d, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(q_d, q.data(), q.size() * sizeof(float), cudaMemcpyHostToDevice);
    int failed = 0;
    for (int share = 0; share < 2; ++share) {
        cudaMemset(out_d, 0xff, out.size() * sizeof(float));
        cudaError_t error = multicast(b_d, q_d, out_d, tiles, queries, share, 0);
        if (error == cudaSuccess) error = cudaMemcpy(out.data(), out_d, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
        int wrong = 0;
        for (int i = 0; i < queries; ++i) {
            float sum = 0.0f;
            for (int j = 0; j < count; ++j) sum += fabsf(q[i] - b[j]);
            wrong += out[i] != sum;
        }
        printf("6_multicast, %s: %s, %d of %d sums wrong\n", share ? "shared" : "each for itself", cudaGetErrorString(error), wrong, queries);
        failed |= error != cudaSuccess || wrong != 0;
    }
    cudaFree(b_d), cudaFree(q_d), cudaFree(out_d);
    return failed;
}
