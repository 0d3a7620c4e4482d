#include <cuda_runtime.h>
#include <stdint.h>

__global__ void sum_kernel(const float* a, const float* b, float* out, int64_t n) {
    int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t idx = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; idx < n; idx += stride) {
        out[idx] = a[idx] + b[idx];
    }
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    dim3 block(128);
    dim3 grid((unsigned)((n + 511) / 512));
    sum_kernel<<<grid, block, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
