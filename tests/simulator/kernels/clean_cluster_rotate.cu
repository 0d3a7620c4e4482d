// Each block takes the values of the next block of its cluster of four, from that block's shared memory.
// n: 256
// arch: sm_90
// Result: np.roll(x.reshape(2, 4, 32), -1, 1).ravel()
// Total: barriers 16, distributed_requests 8, distributed_bytes 1024, shared_load_wavefronts 0, shared_store_wavefronts 8
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(const float* in, float* out) {
    __shared__ float mine[32];
    const auto cluster = cg::this_cluster();
    const int i = blockIdx.x * 32 + threadIdx.x;
    mine[threadIdx.x] = in[i];
    cluster.sync();
    const float* theirs = cluster.map_shared_rank(mine, (cluster.block_rank() + 1) % cluster.num_blocks());
    if (cluster.query_shared_rank(theirs) != (blockIdx.x + 1) % 4) return;
    const float value = theirs[threadIdx.x];  // = distributed_requests 8, distributed_bytes 1024
    cluster.sync();
    out[i] = value;
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
