// Half of each block waits for the grid, the other half for the block.
// n: 128
#include <cooperative_groups.h>
__global__ void k(const float* in, float* out) {
    const auto grid = cooperative_groups::this_grid();
    const int i = grid.thread_rank();
    out[i] = in[i];
    if (threadIdx.x < 32) grid.sync();  // <- divergent-barrier
    else __syncthreads();
    out[i] += in[i];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t stream) {
    void* args[] = {&x, &y};
    return cudaLaunchCooperativeKernel(k, dim3(2), dim3(64), args, 0, stream);
}
