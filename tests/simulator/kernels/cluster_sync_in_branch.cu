// One warp of each block waits for the cluster, the other for the block.
// n: 256
// arch: sm_90
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(2) k(const float* in, float* out) {
    const int i = blockIdx.x * 64 + threadIdx.x;
    out[i] = in[i];
    if (threadIdx.x < 32) cg::this_cluster().sync();  // <- divergent-barrier
    else __syncthreads();
    out[i] += in[i];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t stream) {
    k<<<4, 64, 0, stream>>>(x, y);
    return cudaGetLastError();
}
