// exercise: vector_add
// attack: mremap takes the pages of device memory to another address
// ataque: mremap se lleva las páginas de la memoria del dispositivo a otra dirección
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
    size_t bytes = (n * 4 + 8191) / 4096 * 4096;
    mremap((void*)((uintptr_t)a / 4096 * 4096), bytes, bytes, MREMAP_MAYMOVE);
    return cudaGetLastError();
}
