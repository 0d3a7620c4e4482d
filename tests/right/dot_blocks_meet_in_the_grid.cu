// exercise: dot_product
// unusual: a cooperative launch of four blocks that wait for each other; scratch of the pool
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 256
#endif

namespace cg = cooperative_groups;
__global__ void dot(const float* a, const float* b, float* part, float* out, int64_t n) {
    auto grid = cg::this_grid();
    auto block = cg::this_thread_block();
    __shared__ double sums[BLOCK];
    double mine = 0;
    for (int64_t i = grid.thread_rank(); i < n; i += grid.size()) mine += (double)a[i] * b[i];
    sums[threadIdx.x] = mine;
    block.sync();
    if (block.thread_rank() == 0) {
        double sum = 0;
        for (int w = 0; w < BLOCK; ++w) sum += sums[w];
        part[blockIdx.x] = (float)sum;
    }
    grid.sync();
    if (grid.thread_rank() == 0) {
        double sum = 0;
        for (unsigned k = 0; k < gridDim.x; ++k) sum += part[k];
        *out = (float)sum;
    }
}
extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    constexpr int kBlocks = 4;
    float* part = nullptr;
    cudaError_t error = cudaMallocAsync(&part, kBlocks * sizeof(float), stream);
    if (error != cudaSuccess) return error;
    void* args[] = {&a, &b, &part, &out, &n};
    error = cudaLaunchCooperativeKernel((const void*)dot, dim3(kBlocks), dim3(BLOCK), args, 0, stream);
    const cudaError_t freed = cudaFreeAsync(part, stream);
    return error != cudaSuccess ? error : freed;
}
