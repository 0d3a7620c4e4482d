// exercise: vector_add
// attack: an indirect function: what chooses it runs while the file is being linked
// ataque: una función indirecta: lo que la elige se ejecuta mientras se enlaza el fichero
// closed by: functions without a use
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
extern "C" void* pick() { (void)!write(1, "resolved\n", 9); return (void*)&abort; }
extern "C" int chosen(int) __attribute__((ifunc("pick")));
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    chosen(1);
    for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
    return cudaGetLastError();
}
