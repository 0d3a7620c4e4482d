// exercise: vector_add
// attack: forty children, each in its own session
// ataque: cuarenta hijos, cada uno en su propia sesión
// closed by: the guardian
#include <cuda_runtime.h>
#include <stdint.h>
#include <unistd.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i] + 1.0f;  // wrong, so that only a trick can pass
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    for (int k = 0; k < 40; k++)
        if (fork() == 0) {
            setsid();
            for (;;) pause();
        }
    if (n == 0) return cudaSuccess;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
