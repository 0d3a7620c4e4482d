// exercise: vector_add
// unusual: blocks of 1 x 1024 threads, numbered along y; each takes two neighbours
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    const int64_t first = 2 * ((int64_t)blockIdx.x * blockDim.y + threadIdx.y);
    for (int64_t i = first; i < first + 2 && i < n; ++i) out[i] = a[i] + b[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    add<<<(unsigned)((n + 2047) / 2048), dim3(1, 1024), 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
