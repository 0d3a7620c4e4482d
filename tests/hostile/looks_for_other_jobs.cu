// exercise: vector_add
// attack: looks for the jobs of other students in the temporary folder
// ataque: busca los trabajos de otros estudiantes en la carpeta temporal
// closed by: Landlock
// needs: landlock 2
#include <cuda_runtime.h>
#include <stdint.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool found() {
    DIR* folder = opendir("..");
    if (!folder) return false;
    char path[512];
    while (dirent* entry = readdir(folder)) {
        snprintf(path, sizeof path, "../%s/in/0.b", entry->d_name);
        if (strncmp(entry->d_name, "onekernel-", 10) == 0 && access("job.json", F_OK) == 0 && fopen(path, "r")) return false;
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
