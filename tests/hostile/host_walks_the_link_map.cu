// exercise: vector_add
// attack: finds mprotect in the tables of the dynamic linker, without a name that the object asks for
// ataque: encuentra mprotect en las tablas del enlazador dinámico, sin un nombre que el objeto pida
// closed by: functions without a use
#include <cuda_runtime.h>
#include <stdint.h>
#include <elf.h>
#include <string.h>

struct Map {
    Elf64_Addr base;
    char* name;
    Elf64_Dyn* dynamic;
    Map* next;
};
extern "C" struct {
    int version;
    Map* map;
} _r_debug;
using Open = int (*)(void*, size_t, int);

static Open found() {
    for (Map* at = _r_debug.map; at; at = at->next) {
        const Elf64_Sym* symbols = nullptr;
        const char* names = nullptr;
        for (Elf64_Dyn* d = at->dynamic; d && d->d_tag; d++) {
            if (d->d_tag == DT_SYMTAB) symbols = (const Elf64_Sym*)d->d_un.d_ptr;
            if (d->d_tag == DT_STRTAB) names = (const char*)d->d_un.d_ptr;
        }
        if (!strstr(at->name, "libc.so") || !symbols || !names) continue;
        for (int i = 1; i < 4000; i++)
            if (!strcmp(names + symbols[i].st_name, "mprotect")) return (Open)(at->base + symbols[i].st_value);
    }
    return nullptr;
}

__global__ void idle(float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 0.0f;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    idle<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(out, n);
    Open open = found();
    if (!open) return cudaGetLastError();
    const void* tensors[] = {a, b, out};
    for (const void* t : tensors) open((void*)((uintptr_t)t / 4096 * 4096), n * 4 + 4096, 3);
    for (int64_t i = 0; i < n; i++) out[i] = a[i] + b[i];
    return cudaGetLastError();
}
