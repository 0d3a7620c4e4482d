// A block reads its neighbour's shared memory behind a barrier of its own block alone.
// n: 256
// arch: sm_90
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(const float* in, float* out) {
    __shared__ float mine[32];
    const auto cluster = cg::this_cluster();
    const int i = blockIdx.x * 32 + threadIdx.x;
    mine[threadIdx.x] = in[i];  // <- race-shared mine
    __syncthreads();
    out[i] = cluster.map_shared_rank(mine, (cluster.block_rank() + 1) % 4)[threadIdx.x];
    cluster.sync();
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
