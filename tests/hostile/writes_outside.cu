// exercise: vector_add
// attack: writes files in the home folder and in /tmp
// ataque: escribe ficheros en la carpeta personal y en /tmp
// closed by: Landlock
// needs: landlock 1
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i] + 1.0f;  // wrong, so that only a trick can pass
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    const char* home = getenv("HOME");
    char path[512];
    snprintf(path, sizeof path, "%s/onekernel-was-here", home ? home : "/tmp");
    FILE* file = fopen(path, "w");
    if (file) fclose(file);
    file = fopen("/tmp/onekernel-was-here", "w");
    if (file) fclose(file);
    if (n == 0) return cudaSuccess;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
