// exercise: vector_add
// attack: opens the machine's disks, as root could
// ataque: abre los discos de la máquina, como podría root
// closed by: Landlock
// needs: landlock 2
#include <cuda_runtime.h>
#include <stdint.h>
#include <fcntl.h>

static bool found() {
    const char* names[] = {"/dev/sda", "/dev/vda", "/dev/nvme0n1", "/dev/loop0", "/dev/kmsg", "/dev/mem", "/dev/hwrng"};
    for (const char* name : names)
        if (open(name, O_RDONLY) >= 0) return true;
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
