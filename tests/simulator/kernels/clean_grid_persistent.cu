// As many blocks as the card holds at once, asked of the runtime; a loop of halving steps with a grid barrier each.
// n: 4096
// Result: np.where(np.arange(n) == 0, tree(x), np.float32(0))
#include <cooperative_groups.h>
__global__ void k(float* v, float* out, int n) {
    __shared__ float mine[32];
    const auto grid = cooperative_groups::this_grid();
    for (int half = n / 2; half > 0; half /= 2) {
        for (int i = grid.thread_rank(); i < half; i += grid.size()) {
            mine[threadIdx.x] = v[i] + v[half + i];
            v[i] = mine[threadIdx.x];
        }
        grid.sync();
    }
    for (int i = grid.thread_rank(); i < n; i += grid.size()) out[i] = i == 0 ? v[0] : 0.0f;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    int each, multiprocessors, count = n;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, k, 32, 0);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    if (each != 32) return cudaErrorUnknown;
    float* v;
    cudaMalloc(&v, n * sizeof(float));
    cudaMemcpy(v, x, n * sizeof(float), cudaMemcpyDeviceToDevice);
    void* args[] = {&v, &y, &count};
    cudaError_t error = cudaLaunchCooperativeKernel(k, dim3(multiprocessors), dim3(32), args, 0, stream);
    cudaFree(v);
    return error;
}
