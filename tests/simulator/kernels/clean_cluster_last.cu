// The last cluster to finish adds up what all have written: a barrier of the cluster, then fence and atomic by one thread;
// another barrier, and a block that has not touched the counter itself reads what every block wrote.
// n: 256
// arch: sm_90
// Result: np.where(np.arange(n) == 0, blocks(x), np.float32(0))
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ unsigned arrived = 0;
__global__ void __cluster_dims__(4) k(const float* in, float* out, float* partial) {
    __shared__ bool last;
    const auto cluster = cg::this_cluster();
    const int t = threadIdx.x;
    if (t == 0) {
        float sum = 0.0f;
        for (int i = 0; i < 32; i++) sum += in[blockIdx.x * 32 + i];
        partial[blockIdx.x] = sum;
    }
    cluster.sync();
    if (cluster.thread_rank() == 0) {
        __threadfence();
        last = atomicAdd(&arrived, 1u) == gridDim.x / 4 - 1;
    }
    cluster.sync();
    const bool mine = *cluster.map_shared_rank(&last, 0) && cluster.block_rank() == 1 && t == 0;
    cluster.sync();
    if (mine) {
        float sum = 0.0f;
        for (int b = 0; b < gridDim.x; b++) sum += partial[b];
        out[0] = sum;
        arrived = 0;
    }
    if (blockIdx.x || t) out[blockIdx.x * 32 + t] = 0.0f;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t stream) {
    float* partial;
    cudaMalloc(&partial, 8 * sizeof(float));
    k<<<8, 32, 0, stream>>>(x, y, partial);
    cudaFree(partial);
    return cudaGetLastError();
}
