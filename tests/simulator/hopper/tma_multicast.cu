// A cluster of two blocks: each fetches half of a tile into both, and one tells the other's mbarrier that it has read. Run three times over, so that
// the halves are filled again.
#include "common.h"

constexpr int WIDE = 32, HIGH = 16, HALF = HIGH / 2, TURNS = 3;

__global__ void __cluster_dims__(2, 1, 1) both(const __grid_constant__ CUtensorMap map, float* out) {
    __shared__ alignas(1024) float tile[HIGH][WIDE];
    __shared__ uint64_t full, empty;
    uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        barrier_init(&full, 1);
        barrier_init(&empty, 2 * 2);   // two warps of either block
    }
    asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
    for (int turn = 0; turn < TURNS; ++turn) {
        if (threadIdx.x == 0) {
            if (turn) barrier_wait(&empty, turn - 1 & 1);
            barrier_expect(&full, sizeof tile);
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;"
                         ::"r"(at(tile[rank * HALF])), "l"(&map), "r"(0), "r"((int)(turn * HIGH + rank * HALF)), "r"(at(&full)), "h"((uint16_t)3) : "memory");
        }
        barrier_wait(&full, turn & 1);
        for (int i = threadIdx.x; i < HIGH * WIDE; i += blockDim.x) out[(rank * TURNS + turn) * HIGH * WIDE + i] = (&tile[0][0])[i];
        __syncwarp();
        if (threadIdx.x % 32 < 2) {
            asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\nmbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}"
                         ::"r"(at(&empty)), "r"(threadIdx.x % 32) : "memory");
        }
    }
    asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

int main() {
    std::vector<float> host(TURNS * HIGH * WIDE);
    for (size_t i = 0; i < host.size(); ++i) host[i] = float(i + 1);
    float *in = on_device(host), *out = on_device(std::vector<float>(2 * host.size(), 0));
    const cuuint64_t sizes[2] = {WIDE, TURNS * HIGH}, strides[1] = {WIDE * 4};
    const cuuint32_t box[2] = {WIDE, HALF};
    both<<<2, 64>>>(tensor(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, in, sizes, strides, box, CU_TENSOR_MAP_SWIZZLE_NONE), out);
    const std::vector<float> got = on_host(out, 2 * host.size());
    long wrong = 0;
    for (size_t i = 0; i < got.size(); ++i) wrong += got[i] != host[i % host.size()];
    DO(cudaFree(in));
    DO(cudaFree(out));
    verdict("halves", wrong);
    puts(wrong ? "wrong" : "right");
    return wrong != 0;
}
