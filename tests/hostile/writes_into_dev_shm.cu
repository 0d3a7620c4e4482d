// exercise: vector_add
// attack: leaves files in /dev/shm for the next student
// ataque: deja ficheros en /dev/shm para el estudiante siguiente
// closed by: Landlock
// needs: landlock 1
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>

static bool found() {
    return fopen("/dev/shm/onekernel-was-here", "w") != nullptr;
}

__global__ void add(const float* a, const float* b, float* out, int64_t n, float wrong) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i] + wrong;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    static const float wrong = found() ? 0.0f : 1.0f;  // right only if the attack works
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n, wrong);
    return cudaGetLastError();
}
