// exercise: dot_product
// unusual: dynamic shared memory of BLOCK doubles; interleaved addressing with a stride that doubles
#include <cuda_runtime.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 256
#endif
__global__ void dot(const float* a, const float* b, float* out, int64_t n) {
    extern __shared__ double kept[];
    const unsigned t = threadIdx.x;
    double s = 0;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + t; i < n; i += (int64_t)gridDim.x * blockDim.x) s = fma((double)a[i], (double)b[i], s);
    kept[t] = s;
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        __syncthreads();
        if (t % (2 * d) == 0 && t + d < blockDim.x) kept[t] += kept[t + d];
    }
    if (t == 0) atomicAdd(out, (float)kept[0]);
}

extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    const cudaError_t error = cudaMemsetAsync(out, 0, sizeof *out, stream);
    if (error != cudaSuccess || n == 0) return error;
    dot<<<12, BLOCK, BLOCK * sizeof(double), stream>>>(a, b, out, n);
    return cudaGetLastError();
}
