// exercise: vector_add
// attack: makes a device file for the disk, as root could
// ataque: crea un fichero de dispositivo para el disco, como podría root
// closed by: capabilities
#include <cuda_runtime.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

static bool found() {
    return mknod("out/disk", S_IFBLK | 0600, makedev(8, 0)) == 0 || mknod("disk", S_IFCHR | 0600, makedev(1, 1)) == 0;
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
