// exercise: vector_add
// attack: mounts a file system over the solutions, in a namespace of its own
// ataque: monta un sistema de ficheros sobre las soluciones, en un espacio de nombres propio
// closed by: seccomp
#include <cuda_runtime.h>
#include <stdint.h>
#include <sched.h>
#include <sys/mount.h>

static bool found() {
    return unshare(CLONE_NEWNS | CLONE_NEWUSER) == 0 || mount("none", "/tmp", "tmpfs", 0, nullptr) == 0;
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
