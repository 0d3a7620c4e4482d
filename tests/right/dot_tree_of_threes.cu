// exercise: dot_product
// unusual: a tree that adds three to one at each level, any number of threads; two launches by way of static scratch
#include <cuda_runtime.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 243
#endif
__device__ float scratch[1024];

template <typename Term>
__device__ float block_total(Term term, int64_t n, int64_t first, int64_t step) {
    __shared__ float parts[BLOCK];
    float sum = 0;
    for (int64_t i = first; i < n; i += step) sum += term(i);
    parts[threadIdx.x] = sum;
    for (int width = BLOCK; width > 1;) {
        const int third = (width + 2) / 3;
        __syncthreads();
        if (threadIdx.x < third) {
            if (threadIdx.x + third < width) sum += parts[threadIdx.x + third];
            if (threadIdx.x + 2 * third < width) sum += parts[threadIdx.x + 2 * third];
        }
        __syncthreads();
        if (threadIdx.x < third) parts[threadIdx.x] = sum;
        width = third;
    }
    return sum;
}

__global__ void products(const float* a, const float* b, int64_t n) {
    const float total = block_total([=](int64_t i) { return a[i] * b[i]; }, n, blockIdx.x * (int64_t)BLOCK + threadIdx.x,
                                    (int64_t)gridDim.x * BLOCK);
    if (threadIdx.x == 0) scratch[blockIdx.x] = total;
}
__global__ void partials(float* out, int n) {
    const float total = block_total([](int64_t i) { return scratch[i]; }, n, threadIdx.x, BLOCK);
    if (threadIdx.x == 0) *out = total;
}

extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    int64_t blocks = (n + 4 * BLOCK - 1) / (4 * BLOCK);
    blocks = blocks < 1 ? 1 : blocks > 1024 ? 1024 : blocks;
    products<<<dim3((unsigned)blocks), BLOCK, 0, stream>>>(a, b, n);
    const cudaError_t error = cudaGetLastError();
    if (error) return error;
    partials<<<1, BLOCK, 0, stream>>>(out, (int)blocks);
    return cudaGetLastError();
}
