// A barrier of the cluster orders nothing between two clusters.
// n: 256
// arch: sm_90
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(const float* in, float* out) {
    const auto cluster = cg::this_cluster();
    const int i = blockIdx.x * 32 + threadIdx.x;
    cluster.sync();
    out[i] = in[i];  // <- race-global
    cluster.sync();
    if (blockIdx.x < 4) out[i + 128] = -in[i];
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
