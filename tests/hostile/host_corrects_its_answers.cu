// exercise: vector_add
// attack: leaves a process that waits for the answers as they are written, reads the inputs in them and adds on the host
// ataque: deja un proceso que espera a que se escriban las respuestas, lee en ellas las entradas y suma en el host
// closed by: answers that are sealed
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void correct(const char* path) {  // a, b and out, one behind the other, each between guards
    static char bytes[1 << 20];
    FILE* file = fopen(path, "rb");
    if (!file) return;
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    size_t each = length / 3 / 4;
    float *a = (float*)bytes, *b = a + each, *out = b + each;
    for (size_t i = 1024; i + 1024 < each; i++)
        if (out[i] == 0.0f) out[i] = a[i] + b[i];
    if (!(file = fopen(path, "r+b"))) return;
    fwrite(bytes, 1, length, file);
    fclose(file);
}

__global__ void idle(float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 0.0f;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    idle<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(out, n);
    static bool left = false;
    if (!left && fork() == 0) {
        for (int turn = 0; turn < 200000; turn++)
            for (int call = 0; call < 40; call++) {
                char path[64];
                snprintf(path, sizeof path, "out/%d.buffers", call);
                if (access(path, R_OK) == 0) correct(path);
            }
        _exit(0);
    }
    left = true;
    usleep(20000);  // the answer to the call before is there by now
    return cudaGetLastError();
}
