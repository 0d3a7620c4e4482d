// exercise: dot_product
// unusual: an inclusive scan in shared memory by Hillis and Steele, of which the last element is the sum
#include <cuda_runtime.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 256
#endif
__global__ void dot(const float* a, const float* b, float* out, int64_t n) {
    __shared__ float sums[2][BLOCK];
    const int t = threadIdx.x;
    float s = 0;
    for (int64_t i = (int64_t)blockIdx.x * BLOCK + t; i < n; i += (int64_t)gridDim.x * BLOCK) s += a[i] * b[i];
    sums[0][t] = s;
    __syncthreads();
    int now = 0;
    for (int d = 1; d < BLOCK; d *= 2, now ^= 1) {
        sums[now ^ 1][t] = sums[now][t] + (t >= d ? sums[now][t - d] : 0.0f);
        __syncthreads();
    }
    if (t == BLOCK - 1) atomicAdd(out, sums[now][t]);
}

extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    const cudaError_t error = cudaMemsetAsync(out, 0, sizeof(float), stream);
    if (error != cudaSuccess || n == 0) return error;
    dot<<<32, BLOCK, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
