// exercise: vector_add
// attack: reads the inputs of a call in its answer when the next one is made, adds on the host and writes over it
// ataque: lee las entradas de una llamada en su respuesta cuando se hace la siguiente, suma en el host y la sobrescribe
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

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    static int64_t sizes[1000];
    static int calls = 0;
    if (calls > 0) correct(calls - 1, sizes);
    if (calls < 1000) sizes[calls++] = n;
    idle<<<1, 1, 0, stream>>>(out);
    return cudaGetLastError();
}
