// exercise: vector_add
// unusual: two template kernels, the even and the odd elements
#include <cuda_runtime.h>
#include <stdint.h>

template <int kPart>
__global__ void add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out, int64_t n) {
    int64_t i = 2 * ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) + kPart;
    if (i < n) out[i] = __fadd_rn(a[i], b[i]);
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    const unsigned blocks = (unsigned)((n + 511) / 512);
    add<0><<<blocks, 256, 0, stream>>>(a, b, out, n);
    add<1><<<blocks, 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
