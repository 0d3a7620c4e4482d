// exercise: vector_add
// attack: reads the environment of the process that grades, as root could
// ataque: lee el entorno del proceso que corrige, como podría root
// closed by: Landlock
// needs: landlock 2
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static bool found() {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/environ", (int)getppid());
    FILE* file = fopen(path, "r");
    return file && fgetc(file) != EOF;
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
