// exercise: vector_add
// attack: defines the functions with which the simulator watches accesses
// ataque: define las funciones con las que el simulador vigila los accesos
// closed by: refused names
#include <cuda_runtime.h>
#include <stdint.h>

extern "C" void __tsan_read4(void*) {}
extern "C" void __tsan_write4(void*) {}

__global__ void wrong(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i] + 1.0f;  // wrong, so that only a trick can pass
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    wrong<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
