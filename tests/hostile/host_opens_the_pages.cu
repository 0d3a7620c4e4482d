// exercise: vector_add
// attack: mprotect opens the pages of device memory to the host
// ataque: mprotect abre al host las páginas de la memoria del dispositivo
// closed by: functions without a use
#include <cuda_runtime.h>
#include <stdint.h>
#include <sys/mman.h>

__global__ void idle(float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 0.0f;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    idle<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(out, n);
    mprotect((void*)((uintptr_t)a / 4096 * 4096), n * 4 + 4096, PROT_READ | PROT_WRITE);
    mprotect((void*)((uintptr_t)b / 4096 * 4096), n * 4 + 4096, PROT_READ | PROT_WRITE);
    mprotect((void*)((uintptr_t)out / 4096 * 4096), n * 4 + 4096, PROT_READ | PROT_WRITE);
    for (int64_t i = 0; i < n; i++) out[i] = a[i] + b[i];
    return cudaGetLastError();
}
