// exercise: vector_add
// bug: the address of a device variable, taken on the host, is another one
// caught: device-variable-on-host
// group: tails, exact-blocks
#include <cuda_runtime.h>
#include <stdint.h>

__device__ unsigned done;

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
    if (i == 0) done = 1;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    cudaMemsetAsync(&done, 0, sizeof(done), stream);
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
