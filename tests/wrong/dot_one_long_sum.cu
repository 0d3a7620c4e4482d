// exercise: dot_product
// bug: one thread adds a million products one after the other in float32
// caught: values
// group: long
// cause: dot-serial
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void dot(const float* a, const float* b, float* out, int64_t n) {
    float sum = 0;
    for (int64_t i = 0; i < n; i++) sum += a[i] * b[i];
    *out = sum;
}

extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    dot<<<1, 1, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
