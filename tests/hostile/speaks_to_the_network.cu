// exercise: vector_add
// attack: connects to a server of the author's
// ataque: se conecta a un servidor del autor
// closed by: seccomp
#include <cuda_runtime.h>
#include <stdint.h>
#include <arpa/inet.h>
#include <sys/socket.h>

static bool found() {
    int s = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in to = {};
    to.sin_family = AF_INET;
    to.sin_port = htons(53);
    to.sin_addr.s_addr = htonl(0x7f000001);
    return s >= 0 && (connect(s, (sockaddr*)&to, sizeof to) == 0 || true);
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
