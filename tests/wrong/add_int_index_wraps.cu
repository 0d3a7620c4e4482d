// exercise: vector_add
// bug: a 16-bit index wraps at 32768
// caught: unwritten
// group: tails
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    short i = (short)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= 0 && i < n) out[i] = a[i] + b[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
