// The cluster's shape is the kernel's own: 2 x 2 blocks in a grid of 4 x 2, told apart in each dimension.
// n: 256
// arch: sm_90
// Result: np.concatenate([x[b * 32:b * 32 + 32][::-1] for b in (1, 0, 3, 2, 5, 4, 7, 6)])
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
template <int lanes>
__global__ void __cluster_dims__(2, 2, 1) k(const float* in, float* out) {
    extern __shared__ float mine[];
    const cg::cluster_group cluster = cg::this_cluster();
    const int i = (blockIdx.y * gridDim.x + blockIdx.x) * lanes + threadIdx.x;
    mine[threadIdx.x] = in[i];
    cluster.sync();
    const dim3 at = cluster.block_index(), shape = cluster.dim_blocks();
    if (shape.x != 2 || shape.y != 2 || at.x != blockIdx.x % 2 || at.y != blockIdx.y % 2 || cluster.size() != 128) return;
    out[i] = *cluster.map_shared_rank(mine + lanes - 1 - threadIdx.x, at.y * 2 + 1 - at.x);
    cluster.sync();
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t stream) {
    k<32><<<dim3(4, 2), 32, 128, stream>>>(x, y);
    return cudaGetLastError();
}
