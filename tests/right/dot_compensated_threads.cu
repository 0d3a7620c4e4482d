// exercise: dot_product
// unusual: one block, each thread with Kahan's compensated sum; thread 0 adds them up, one by one
#include <cuda_runtime.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 64
#endif

__global__ void dot(const float* a, const float* b, float* out, int64_t n) {
    __shared__ float sums[BLOCK];
    float sum = 0, lost = 0;
    for (int64_t i = threadIdx.x; i < n; i += BLOCK) {
        const float term = __fsub_rn(__fmul_rn(a[i], b[i]), lost), next = __fadd_rn(sum, term);
        lost = __fsub_rn(__fsub_rn(next, sum), term);
        sum = next;
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x) return;
    for (int t = 1; t < BLOCK; ++t) sum += sums[t];
    *out = sum;
}

extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    dot<<<1, BLOCK, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
