// exercise: vector_add
// attack: a symbolic link in place of the answer
// ataque: un enlace simbólico en lugar de la respuesta
// closed by: judged apart
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void forge(const char* name, const char* text) {
    char path[512];
    const char* tmp = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/%s", tmp ? tmp : ".", name);
    FILE* file = fopen(path, "w");
    if (!file) return;
    fputs(text, file);
    fclose(file);
}

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i] + 1.0f;  // wrong, so that only a trick can pass
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    const char* tmp = getenv("TMPDIR");
    char target[512], link[512];
    snprintf(target, sizeof target, "%s/../in/0.a", tmp);
    snprintf(link, sizeof link, "%s/0.out", tmp);
    if (symlink(target, link)) {}
    forge("0.json", "{\"status\": 0, \"status_name\": \"cudaSuccess\", \"findings\": [], \"kernels\": [], \"seconds\": 0}");
    _exit(0);
    if (n == 0) return cudaSuccess;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
