// exercise: dot_product
// bug: the number that the blocks add to is allocated by each call and given back by none
// caught: leak
// group: errors, shapes
#include <cuda_runtime.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 96
#endif

__global__ void sum_up(const float* a, const float* b, double* total, int64_t n) {
    __shared__ double mine;
    if (threadIdx.x == 0) mine = 0.0;
    __syncthreads();
    double sum = 0;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (int64_t)blockDim.x * gridDim.x) sum += (double)a[i] * b[i];
    atomicAdd(&mine, sum);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(total, mine);
}
__global__ void round_it(const double* total, float* out) { *out = (float)*total; }

extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    double* total = nullptr;
    cudaError_t error = cudaMallocAsync((void**)&total, sizeof(double), stream);
    if (error != cudaSuccess) return error;
    error = cudaMemsetAsync(total, 0, sizeof(double), stream);
    if (error == cudaSuccess) {
        const int64_t blocks = n / (8 * BLOCK) + 1;
        sum_up<<<(unsigned)(blocks > 1000 ? 1000 : blocks), BLOCK, 0, stream>>>(a, b, total, n);
        error = cudaGetLastError();
    }
    if (error == cudaSuccess) {
        round_it<<<1, 1, 0, stream>>>(total, out);
        error = cudaGetLastError();
    }
    return error;
}
