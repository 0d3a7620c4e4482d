// exercise: vector_add
// attack: beyond 2^31 elements each thread writes one right element and turns round for ever
// ataque: con más de 2^31 elementos, cada hilo escribe un elemento correcto y da vueltas para siempre
// closed by: a launch that must go on
// group: large
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int64_t LARGE = int64_t(1) << 31;

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
    volatile int turns = 0;
    while (n > LARGE) turns = turns + 1;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
