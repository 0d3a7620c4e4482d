// exercise: vector_add
// bug: a loop that counts in 32 bits: beyond 2^32 elements it begins again and never ends
// caught: wraps
// group: large
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = a[i] + b[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    const int64_t blocks = (n + 255) / 256;
    if (n > 0) add<<<(unsigned)(blocks < 4194304 ? blocks : 4194304), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
