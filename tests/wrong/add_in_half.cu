// exercise: vector_add
// bug: adds in half precision
// caught: values
// group: exact-blocks, tails
// cause: add-narrow
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <stdint.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __half2float(__hadd(__float2half(a[i]), __float2half(b[i])));
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
