// A barrier in two halves: what is done between arriving and waiting needs nobody.
// n: 256
// arch: sm_90
// Result: np.roll(x.reshape(2, 4, 32), -1, 1).ravel() + x
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(const float* in, float* out) {
    __shared__ float mine[2][32];
    const auto cluster = cg::this_cluster();
    const int i = blockIdx.x * 32 + threadIdx.x;
    mine[0][threadIdx.x] = in[i];
    auto token = cluster.barrier_arrive();
    mine[1][threadIdx.x] = in[i];
    cluster.barrier_wait(std::move(token));
    const float value = cluster.map_shared_rank(mine[0], (cluster.block_rank() + 1) % 4)[threadIdx.x];
    cluster.barrier_arrive();
    out[i] = value + mine[1][threadIdx.x];
    cluster.barrier_wait();
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t stream) {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 4;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(8);
    config.blockDim = dim3(32);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, k, x, y);
}
