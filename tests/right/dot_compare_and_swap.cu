// exercise: dot_product
// unusual: the result is added to by a loop of atomicCAS on its bits, from 0.0 that a kernel writes
#include <cuda_runtime.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 256
#endif
__global__ void clear(float* out) { *out = 0.0f; }
__global__ void dot(const float* a, const float* b, float* out, int64_t n) {
    __shared__ float sums[BLOCK];
    float s = 0;
    for (int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (int64_t)gridDim.x * BLOCK) s += a[i] * b[i];
    sums[threadIdx.x] = s;
    __syncthreads();
    if (threadIdx.x) return;
    for (int k = 1; k < BLOCK; ++k) s += sums[k];
    unsigned* bits = reinterpret_cast<unsigned*>(out);
    unsigned seen = *(volatile unsigned*)bits, before;
    do {
        before = seen;
        seen = atomicCAS(bits, before, __float_as_uint(__uint_as_float(before) + s));
    } while (seen != before);
}

extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    clear<<<1, 1, 0, stream>>>(out);
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess || n == 0) return error;
    dot<<<24, BLOCK, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
