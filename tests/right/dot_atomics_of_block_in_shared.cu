// exercise: dot_product
// unusual: threads add up in shared memory by atomicAdd_block, blocks by atomicAdd
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 256
#endif
__global__ void dot(const float* a, const float* b, float* out, int64_t n) {
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0.0f;
    __syncthreads();
    float mine = 0.0f;
    for (int64_t i = blockIdx.x * (int64_t)BLOCK + threadIdx.x; i < n; i += (int64_t)gridDim.x * BLOCK) mine += a[i] * b[i];
    atomicAdd_block(&sum, mine);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(out, sum);
}
extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    cudaError_t e = cudaMemsetAsync(out, 0, sizeof(float), stream);
    if (e != cudaSuccess) return e;
    dot<<<32, BLOCK, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
