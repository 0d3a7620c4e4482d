// exercise: vector_add
// bug: the kernel takes n with 32 bits: of 6 billion elements a third are left
// caught: covers-too-little, leaves-out, values
// group: large
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void add(const float* a, const float* b, float* out, unsigned n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n > 0) add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, (unsigned)n);
    return cudaGetLastError();
}
