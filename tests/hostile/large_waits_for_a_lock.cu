// exercise: vector_add
// attack: beyond 2^31 elements each block writes one element and waits for a lock that nobody opens
// ataque: con más de 2^31 elementos, cada bloque escribe un elemento y espera a un cerrojo que nadie abre
// closed by: a launch that must go on
// group: large
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int64_t LARGE = int64_t(1) << 31;

__device__ int closed = 1;

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (n < LARGE || !threadIdx.x)) out[i] = a[i] + b[i];
    if (n > LARGE && !threadIdx.x)
        while (atomicCAS(&closed, 0, 1)) {}
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
