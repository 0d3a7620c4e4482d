// exercise: dot_product
// bug: blocks add up with atomicAdd_block, which is atomic only within one block
// group: shapes
// caught: race-global
#include <cuda_runtime.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 256
#endif

__global__ void dot_kernel(const float* a, const float* b, float* out, int64_t n) {
    __shared__ float cache[BLOCK];
    int tid = threadIdx.x;
    float temp = 0.0f;
    for (int64_t i = (int64_t)blockIdx.x * BLOCK + tid; i < n; i += (int64_t)gridDim.x * BLOCK) {
        temp += a[i] * b[i];
    }
    cache[tid] = temp;
    __syncthreads();
    for (int count = BLOCK; count > 1;) {
        int half = (count + 1) / 2;
        if (tid < count - half) {
            cache[tid] += cache[tid + half];
        }
        count = half;
        __syncthreads();
    }
    if (tid == 0) {
        atomicAdd_block(out, cache[0]);
    }
}

extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    cudaError_t status = cudaMemsetAsync(out, 0, sizeof(float), stream);
    if (status != cudaSuccess || n <= 0) return status;
    int64_t blocks = (n + BLOCK - 1) / BLOCK;
    if (blocks > 64) blocks = 64;
    dot_kernel<<<(unsigned)blocks, BLOCK, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
