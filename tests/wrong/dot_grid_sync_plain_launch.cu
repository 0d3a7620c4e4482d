// exercise: dot_product
// bug: grid.sync() in a kernel that is not launched cooperatively
// caught: bad-launch
// group: shapes
#include <cuda_runtime.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 256
#endif
#include <cooperative_groups.h>
__device__ float partial[64];
__global__ void dot(const float* a, const float* b, float* out, int64_t n) {
    __shared__ float sums[BLOCK];
    float s = 0;
    for (int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (int64_t)gridDim.x * BLOCK) s += a[i] * b[i];
    sums[threadIdx.x] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < BLOCK; ++k) s += sums[k];
        partial[blockIdx.x] = s;
    }
    cooperative_groups::this_grid().sync();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        s = 0;
        for (int k = 0; k < gridDim.x; ++k) s += partial[k];
        *out = s;
    }
}
extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    dot<<<16, BLOCK, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
