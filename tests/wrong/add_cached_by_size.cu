// exercise: vector_add
// bug: answers a size that it has seen before without computing
// caught: unwritten, no-kernel
// group: exact-blocks, tails
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    static int64_t done[16];
    for (int64_t& seen : done) {
        if (seen == n) return cudaSuccess;  // "we had this one"
        if (seen == 0) { seen = n; break; }
    }
    if (n == 0) return cudaSuccess;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
