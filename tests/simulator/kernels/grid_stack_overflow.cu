// A recursion without an end in a kernel whose blocks are all live at once.
// n: 64
// status: cudaErrorIllegalAddress
#include <cooperative_groups.h>
__device__ __noinline__ float deeper(const float* in, int i) {
    float local[256];  // as in stack_overflow.cu
    for (int k = 0; k < 64; k++) local[k] = in[k] + i;  // <- stack-overflow
    return deeper(in, i + 1) + local[i % 64];
}
__global__ void k(const float* in, float* out) {
    const auto grid = cooperative_groups::this_grid();
    grid.sync();
    out[grid.thread_rank()] = deeper(in, 0);
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t stream) {
    void* args[] = {&x, &y};
    return cudaLaunchCooperativeKernel(k, dim3(2), dim3(32), args, 0, stream);
}
