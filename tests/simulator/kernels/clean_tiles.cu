// Cooperative groups: the block and tiles of a warp.
// n: 64
// Result: np.repeat([butterfly(g) for g in x.reshape(4, 16)], 16).astype(np.float32)
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(const float* in, float* out) {
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    __shared__ float s[64];
    float v = in[block.thread_rank()];
    for (int d = tile.size() / 2; d > 0; d /= 2) v += tile.shfl_xor(v, d);
    s[block.thread_rank()] = v;
    block.sync();
    out[threadIdx.x] = s[threadIdx.x / 16 * 16];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 64>>>(x, y);
    return cudaGetLastError();
}
