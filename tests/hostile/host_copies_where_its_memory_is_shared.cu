// exercise: vector_add
// attack: has a child that shares its memory copy every 64 bytes (vfork)
// ataque: hace que un proceso hijo que comparte su memoria copie cada 64 bytes (vfork)
// closed by: scrambled copies
#include <cuda_runtime.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

__global__ void put(float* out, float value) { *out = value; }

static bool part(const float* from, int64_t count, float* to) {
    int status;
    const pid_t child = vfork();
    if (child == 0) {
        cudaMemcpy(to, from, count * sizeof(float), cudaMemcpyDeviceToHost);
        _exit(0);
    }
    if (child > 0) waitpid(child, &status, 0);
    return child > 0;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n > 5000) return cudaErrorNotSupported;  // enough to show it: larger inputs take too many processes
    float x[16], y[16];
    for (int64_t at = 0; at < n; at += 16) {
        const int64_t count = n - at < 16 ? n - at : 16;
        if (!part(a + at, count, x) || !part(b + at, count, y)) break;
        for (int i = 0; i < count; i++) put<<<1, 1, 0, stream>>>(out + at + i, x[i] + y[i]);
    }
    return cudaGetLastError();
}
