// exercise: vector_add
// attack: opens sockets that Landlock does not know: UDP, IPv6, raw packets, the kernel's own
// ataque: abre sockets que Landlock no conoce: UDP, IPv6, paquetes crudos, los del propio núcleo
// closed by: seccomp
#include <cuda_runtime.h>
#include <stdint.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

static bool opened() {
    const int families[] = {AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, AF_VSOCK};
    for (int family : families)
        for (int type : {SOCK_DGRAM, SOCK_STREAM, SOCK_RAW})
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
