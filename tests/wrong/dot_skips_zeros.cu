// exercise: dot_product
// bug: products with a 0 are left out, and with them the NaN of 0 times infinity
// caught: nan
// group: special
// cause: dot-zeros-skipped
#include <cuda_runtime.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 256
#endif

__global__ void dot(const float* a, const float* b, float* out, int64_t n) {
    __shared__ float sums[BLOCK];
    float sum = 0.0f;
    for (int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (int64_t)gridDim.x * BLOCK) {
        if (a[i] != 0.0f) sum += a[i] * b[i];
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int t = 1; t < BLOCK; ++t) sum += sums[t];
        atomicAdd(out, sum);
    }
}

extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    const cudaError_t error = cudaMemsetAsync(out, 0, sizeof(float), stream);
    if (error != cudaSuccess || n == 0) return error;
    dot<<<64, BLOCK, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
