// exercise: vector_add
// attack: syscall() asks for mprotect by its number
// ataque: syscall() pide mprotect por su número
// closed by: functions without a use
#include <cuda_runtime.h>
#include <stdint.h>
#include <unistd.h>

__global__ void idle(float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 0.0f;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    idle<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(out, n);
    const void* tensors[] = {a, b, out};
    for (const void* t : tensors) syscall(10, (uintptr_t)t / 4096 * 4096, n * 4 + 4096, 3);
    for (int64_t i = 0; i < n; i++) out[i] = a[i] + b[i];
    return cudaGetLastError();
}
