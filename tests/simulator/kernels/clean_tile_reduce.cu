// A warp's sum by cooperative groups: no barrier, no shared memory.
// n: 128
// Result: np.repeat([butterfly(w) for w in x.reshape(-1, 32)], 32)
// Total: load_requests 4, load_sectors 16, store_requests 4, store_sectors 16, barriers 0
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__global__ void k(const float* in, float* out) {
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    out[threadIdx.x] = cg::reduce(warp, in[threadIdx.x], cg::plus<float>());
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 128>>>(x, y);
    return cudaGetLastError();
}
