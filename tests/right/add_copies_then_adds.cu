// exercise: vector_add
// unusual: a is copied to out by the copy engine, and b is added to what lies there
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void add(const float* b, float* out, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = out[i] + b[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    const cudaError_t error = cudaMemcpyAsync(out, a, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    if (error != cudaSuccess) return error;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(b, out, n);
    return cudaGetLastError();
}
