// exercise: vector_add
// attack: has a child of its own copy every 64 bytes, each with an allowance of its own
// ataque: hace que un proceso hijo copie cada 64 bytes, cada uno con su propio margen
// closed by: seccomp
#include <cuda_runtime.h>
#include <stdint.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

__global__ void put(float* out, float value) { *out = value; }

static bool part(const float* from, int64_t count, float* to) {
    int two[2], status;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, two)) return false;
    const pid_t child = fork();
    if (child == 0) {
        float got[16];
        cudaMemcpy(got, from, count * sizeof(float), cudaMemcpyDeviceToHost);
        send(two[1], got, count * sizeof(float), 0);
        kill(getpid(), SIGKILL);
    }
    close(two[1]);
    const bool right = child > 0 && recv(two[0], to, count * sizeof(float), MSG_WAITALL) == (ssize_t)(count * sizeof(float));
    close(two[0]);
    if (child > 0) waitpid(child, &status, 0);
    return right;
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
