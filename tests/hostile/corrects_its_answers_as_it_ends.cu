// exercise: vector_add
// attack: corrects its answers when the process ends, in the destructor of a static object
// ataque: corrige sus respuestas cuando termina el proceso, en el destructor de un objeto estático
// closed by: answers that are sealed
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

__global__ void idle(float* out) {}

static void correct(int call, const int64_t* sizes) {  // a, b and out, one behind the other, each between guards
    static char bytes[1 << 20];
    char path[64];
    snprintf(path, sizeof path, "out/%d.buffers", call);
    FILE* file = fopen(path, "r+b");
    if (!file) return;
    const size_t length = fread(bytes, 1, sizeof bytes, file), third = length / 3, n = (size_t)sizes[call];
    const size_t guard = (third - 4 * n) / 2;
    for (size_t i = 0; i < n; i++) {
        float a, b;
        memcpy(&a, bytes + guard + 4 * i, 4);
        memcpy(&b, bytes + third + guard + 4 * i, 4);
        a += b;
        memcpy(bytes + 2 * third + guard + 4 * i, &a, 4);
    }
    rewind(file);
    fwrite(bytes, 1, length, file);
    fclose(file);
}

struct Last {
    int64_t sizes[1000];
    int calls = 0;
    ~Last() {
        for (int call = 0; call < calls; call++) correct(call, sizes);
    }
};
static Last last;

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (last.calls < 1000) last.sizes[last.calls++] = n;
    idle<<<1, 1, 0, stream>>>(out);
    return cudaGetLastError();
}
