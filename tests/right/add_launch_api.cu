// exercise: vector_add
// unusual: launched by cudaLaunchKernel
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    void* args[] = {&a, &b, &out, &n};
    return cudaLaunchKernel((const void*)add, dim3((unsigned)((n + 127) / 128)), dim3(128), args, 0, stream);
}
