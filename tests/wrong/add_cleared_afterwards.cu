// exercise: vector_add
// bug: out is cleared after the launch and not before it
// caught: values
// group: exact-blocks
// cause: add-zeros
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    cudaMemsetAsync(out, 0, n * sizeof(float), stream);
    return cudaGetLastError();
}
