// exercise: vector_add
// attack: looks for a secret in the command lines of all processes
// ataque: busca un secreto en las líneas de órdenes de todos los procesos
// closed by: Landlock
// needs: landlock 2
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>

static bool found() {
    char path[64];
    for (int process = 1; process < 400; process++) {
        snprintf(path, sizeof path, "/proc/%d/cmdline", process);
        if (fopen(path, "r")) return true;
    }
    return false;
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
