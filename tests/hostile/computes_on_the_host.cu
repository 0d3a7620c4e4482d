// exercise: vector_add
// attack: no kernel at all: the launcher reads and writes device memory on the CPU
// ataque: sin ningún kernel: la función de lanzamiento lee y escribe memoria del dispositivo en la CPU
// closed by: refused accesses
#include <cuda_runtime.h>
#include <stdint.h>

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    for (int64_t i = 0; i < n; i++) out[i] = a[i] + b[i];
    return cudaSuccess;
}
