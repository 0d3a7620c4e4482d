// Tiles of two warps, each with a barrier of its own, one of which comes to it more often; and one tile as large as the block.
// n: 256
// Result: np.concatenate([np.roll(x[i : i + 64], -33) for i in range(0, 256, 64)])
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(const float* in, float* out) {
    __shared__ float s[256];
    const auto block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<64>(block);
    const unsigned first = tile.meta_group_rank() * tile.size(), t = tile.thread_rank();
    for (unsigned turn = 0; turn <= tile.meta_group_rank(); turn++) {
        s[first + t] = in[first + t];
        tile.sync();
        out[first + t] = s[first + (t + 33) % 64];
        tile.sync();
    }
    const auto all = cg::tiled_partition<256>(block);
    s[all.thread_rank()] = out[first + t];
    all.sync();
    out[255 - all.thread_rank()] = s[255 - all.thread_rank()];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 256>>>(x, y);
    return cudaGetLastError();
}
