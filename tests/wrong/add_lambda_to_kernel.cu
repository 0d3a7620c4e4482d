// exercise: vector_add
// bug: a kernel template is given a lambda of the host
// caught: lambda-to-kernel
// group: tails, exact-blocks
#include <cuda_runtime.h>
#include <stdint.h>

template <class F>
__global__ void add(const float* a, const float* b, float* out, int64_t n, F sum) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = sum(a[i], b[i]);
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n,
                                                                  [](float x, float y) { return x + y; });
    return cudaGetLastError();
}
