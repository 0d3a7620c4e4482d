// exercise: vector_add
// unusual: out is set to zero, and two launches add one input each by atomics
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void put(const float* v, float* out, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out + i, v[i]);
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    const unsigned blocks = (unsigned)((n + 255) / 256);
    cudaError_t error = cudaMemsetAsync(out, 0, n * sizeof *out, stream);
    if (error != cudaSuccess) return error;
    put<<<blocks, 256, 0, stream>>>(a, out, n);
    if ((error = cudaGetLastError()) != cudaSuccess) return error;
    put<<<blocks, 256, 0, stream>>>(b, out, n);
    return cudaGetLastError();
}
