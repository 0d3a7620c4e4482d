// All blocks of a cluster count into the shared memory of the first.
// n: 256
// arch: sm_90
// Result: np.full_like(x, 128)
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(const float* in, float* out) {
    __shared__ int count;
    const auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) count = 0;
    cluster.sync();
    int* first = cluster.map_shared_rank(&count, 0);
    atomicAdd(first, in[blockIdx.x * 32 + threadIdx.x] >= 1.0f ? 1 : 0);
    cluster.sync();
    out[blockIdx.x * 32 + threadIdx.x] = *first;
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
