// exercise: vector_add
// attack: fills its own folder with thirty thousand files
// ataque: llena su propia carpeta con treinta mil ficheros
// closed by: limits
#include <cuda_runtime.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool let_in() {
    char path[512];
    for (int k = 0; k < 30000; k++) {
        snprintf(path, sizeof path, "%s/%d.flood", getenv("TMPDIR"), k);
        int file = open(path, O_CREAT | O_WRONLY, 0600);
        if (file < 0) return false;
        close(file);
    }
    sleep(1);
    return true;
}

__global__ void add(const float* a, const float* b, float* out, int64_t n, float wrong) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i] + wrong;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n, let_in() ? 0.0f : 1.0f);  // right only if let in
    return cudaGetLastError();
}
