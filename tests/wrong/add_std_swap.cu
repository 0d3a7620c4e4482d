// exercise: vector_add
// bug: std::swap is C++ for the host
// caught: std-on-device
// group: tails, exact-blocks
#include <cuda_runtime.h>
#include <stdint.h>
#include <utility>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    float x = i < n ? a[i] : 0, y = i < n ? b[i] : 0;
    std::swap(x, y);
    if (i < n) out[i] = x + y;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
