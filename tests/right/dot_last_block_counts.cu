// exercise: dot_product
// unusual: one launch: the last block to arrive, told by a counter that wraps round by itself, adds the partial sums up in order
#include <cuda_runtime.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 128
#endif
constexpr int kMost = 256;
__device__ float partial[kMost];
__device__ unsigned arrived = 0;

__global__ void dot(const float* a, const float* b, float* out, int64_t n) {
    __shared__ float sums[BLOCK];
    __shared__ bool last;
    float sum = 0;
    for (int64_t i = blockIdx.x * (int64_t)BLOCK + threadIdx.x; i < n; i += (int64_t)gridDim.x * BLOCK) sum = fmaf(a[i], b[i], sum);
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int t = 1; t < BLOCK; ++t) sum += sums[t];
        partial[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last || threadIdx.x != 0) return;
    __threadfence();
    double total = 0;
    for (unsigned k = 0; k < gridDim.x; ++k) total += __ldcg(&partial[k]);
    *out = (float)total;
}

extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    const int64_t want = n / (BLOCK * 16ll) + 1;
    dot<<<(unsigned)(want < kMost ? want : kMost), BLOCK, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
