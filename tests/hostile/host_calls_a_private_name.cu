// exercise: vector_add
// attack: opens device memory by the name that the C library uses within itself
// ataque: abre la memoria del dispositivo con el nombre que la biblioteca de C usa dentro de sí
// closed by: functions without a use
#include <cuda_runtime.h>
#include <stdint.h>

extern "C" int __mprotect(void*, size_t, int);

__global__ void idle(float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 0.0f;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    idle<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(out, n);
    const void* tensors[] = {a, b, out};
    for (const void* t : tensors) __mprotect((void*)((uintptr_t)t / 4096 * 4096), n * 4 + 4096, 3);
    for (int64_t i = 0; i < n; i++) out[i] = a[i] + b[i];
    return cudaGetLastError();
}
