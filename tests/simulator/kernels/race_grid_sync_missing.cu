// A cooperative kernel whose second pass reads what other blocks write, with a barrier of the block alone.
// n: 128
#include <cooperative_groups.h>
__global__ void k(const float* in, float* out, float* middle, int n) {
    const auto grid = cooperative_groups::this_grid();
    const int i = grid.thread_rank();
    grid.sync();
    middle[i] = in[i];  // <- race-global
    __syncthreads();
    out[i] = middle[n - 1 - i];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    float* middle;
    cudaMalloc(&middle, n * sizeof(float));
    cudaMemset(middle, 0, n * sizeof(float));
    int count = n;
    void* args[] = {&x, &y, &middle, &count};
    cudaError_t error = cudaLaunchCooperativeKernel(k, dim3(4), dim3(32), args, 0, stream);
    cudaFree(middle);
    return error;
}
