// exercise: vector_add
// bug: the kernel is bound to 128 threads and launched with 256
// caught: bad-launch
// group: exact-blocks, tails
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void __launch_bounds__(128) add(const float* a, const float* b, float* out, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
