// Two passes of one launch: every block needs what all the others have written before the grid's barrier.
// n: 256
// Result: x + x[::-1]
// Total: barriers 8
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(const float* in, float* out, float* middle, int n) {
    cg::grid_group grid = cg::this_grid();
    if (!grid.is_valid() || grid.num_blocks() != 4 || grid.size() != 256 || grid.block_rank() != blockIdx.x) return;
    const int i = grid.thread_rank();
    middle[i] = in[i];
    grid.sync();
    out[i] = in[i] + middle[n - 1 - i];
    grid.sync();
    middle[n - 1 - i] = 0.0f;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    float* middle;
    cudaMalloc(&middle, n * sizeof(float));
    int count = n;
    void* args[] = {&x, &y, &middle, &count};
    cudaError_t error = cudaLaunchCooperativeKernel((void*)k, dim3(4), dim3(64), args, 0, stream);
    cudaFree(middle);
    return error;
}
