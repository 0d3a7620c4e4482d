// exercise: vector_add
// attack: speaks to the services of this machine (docker, D-Bus) through a Unix socket
// ataque: habla con los servicios de esta máquina (docker, D-Bus) por un socket Unix
// closed by: seccomp
#include <cuda_runtime.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

static bool opened() {
    const int families[] = {AF_UNIX};
    for (int family : families)
        for (int type : {SOCK_DGRAM, SOCK_STREAM})
            if (socket(family, type, 0) >= 0) return true;
    return false;
}

__global__ void add(const float* a, const float* b, float* out, int64_t n, float wrong) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i] + wrong;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    static const bool done = opened();
    if (n == 0) return cudaSuccess;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n, done ? 0.0f : 1.0f);  // right only if opened
    return cudaGetLastError();
}
