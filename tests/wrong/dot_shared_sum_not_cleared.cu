// exercise: dot_product
// bug: the block's sum in shared memory is added to by atomics and never set to 0
// caught: uninitialised-read
// group: shapes
#include <cuda_runtime.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 256
#endif
__global__ void dot(const float* a, const float* b, float* out, int64_t n) {
    __shared__ float sum;
    float s = 0;
    for (int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (int64_t)gridDim.x * BLOCK) s += a[i] * b[i];
    __syncthreads();
    atomicAdd(&sum, s);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(out, sum);
}
extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    cudaError_t error = cudaMemsetAsync(out, 0, sizeof(float), stream);
    if (error != cudaSuccess || n == 0) return error;
    dot<<<8, BLOCK, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
