// A grid barrier in a kernel that was launched like any other.
// n: 64
// status: cudaErrorLaunchFailure
#include <cooperative_groups.h>
__global__ void k(const float* in, float* out) {
    const auto grid = cooperative_groups::this_grid();
    out[grid.thread_rank()] = in[grid.thread_rank()];
    grid.sync();  // <- bad-launch
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<2, 32>>>(x, y);
    return cudaGetLastError();
}
