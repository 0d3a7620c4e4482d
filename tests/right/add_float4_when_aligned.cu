// exercise: vector_add
// unusual: 16-byte accesses, but only where the pointers allow them
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const bool aligned = (((uintptr_t)a | (uintptr_t)b | (uintptr_t)out) & 15) == 0;
    if (aligned && 4 * i + 3 < n) {
        float4 p = ((const float4*)a)[i], q = ((const float4*)b)[i];
        ((float4*)out)[i] = make_float4(p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w);
    } else {
        for (int64_t k = 4 * i; k < 4 * i + 4 && k < n; k++) out[k] = a[k] + b[k];
    }
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
