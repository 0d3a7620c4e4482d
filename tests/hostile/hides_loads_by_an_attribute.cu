// exercise: vector_add
// attack: an attribute, pasted of two halves, takes the hooks out of a kernel
// ataque: un atributo, pegado de dos mitades, le quita los ganchos a un kernel
// closed by: refused names
#include <cuda_runtime.h>
#include <stdint.h>

#define PASTE(x, y) x##y
__attribute__((PASTE(no_sani, tize)("thread"))) __global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
