// cooperative_groups::memcpy_async and a barrier: the barrier does not wait for copies.
// n: 64
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;

__global__ void k(const float* in, float* out, int64_t n) {
    __shared__ alignas(16) float tile[64];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in, cuda::aligned_size_t<16>(n * sizeof(float)));
    block.sync();
    for (int i = threadIdx.x; i < n; i += 32) out[i] = tile[n - 1 - i];  // <- missing-wait tile
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}
