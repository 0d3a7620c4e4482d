// A tile of two warps reads what another tile has written, and no barrier holds for both.
// n: 256
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(const float* in, float* out) {
    __shared__ float s[256];
    const auto tile = cg::tiled_partition<64>(cg::this_thread_block());
    s[threadIdx.x] = in[threadIdx.x];  // <- race-shared
    tile.sync();
    out[threadIdx.x] = s[255 - threadIdx.x];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 256>>>(x, y);
    return cudaGetLastError();
}
