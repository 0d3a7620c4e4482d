// exercise: dot_product
// unusual: warps add to the result by atomics; any number of threads, so that the last warp may have fewer lanes
#include <cuda_runtime.h>
#include <stdint.h>
#include <math.h>

#ifndef BLOCK
#define BLOCK 320
#endif
__global__ void dot(const float* __restrict__ a, const float* __restrict__ b, float* out, int64_t n) {
    float v = 0.0f;
    const int64_t stride = (int64_t)BLOCK * gridDim.x;
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
#pragma unroll 4
    while (i < n) { v = __fmaf_rn(__ldg(a + i), __ldg(b + i), v); i += stride; }
    const unsigned lanes = min(32, BLOCK - (int)threadIdx.x / 32 * 32), mask = lanes == 32 ? ~0u : (1u << lanes) - 1;
    for (unsigned o = 16; o; o >>= 1) {
        const unsigned from = threadIdx.x % 32 + o;
        const float u = __shfl_sync(mask, v, from < lanes ? from : lanes - 1);
        v += from < lanes ? u : 0.0f;
    }
    if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}
extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (cudaError_t e = cudaMemsetAsync(out, 0, sizeof *out, stream)) return e;
    if (n < 1) return cudaSuccess;
    const int64_t most = 48, blocks = (n - 1) / BLOCK + 1;
    dot<<<dim3((unsigned)(blocks < most ? blocks : most)), BLOCK, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
