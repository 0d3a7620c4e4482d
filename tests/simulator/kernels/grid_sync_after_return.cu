// The last block has nothing to do and returns; the others wait for it.
// n: 96
#include <cooperative_groups.h>
__global__ void k(const float* in, float* out, int n) {
    const auto grid = cooperative_groups::this_grid();
    const int i = grid.thread_rank();
    if (i >= n) return;
    out[i] = in[i];
    grid.sync();  // <- divergent-barrier
    out[i] += in[i];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    int count = n;
    void* args[] = {&x, &y, &count};
    return cudaLaunchCooperativeKernel(k, dim3(4), dim3(32), args, 0, stream);
}
