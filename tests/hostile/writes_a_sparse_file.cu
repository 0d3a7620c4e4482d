// exercise: vector_add
// attack: writes a file of a terabyte that takes no room
// ataque: escribe un fichero de un terabyte que no ocupa sitio
// closed by: limits
#include <cuda_runtime.h>
#include <stdint.h>
#include <fcntl.h>
#include <unistd.h>

static bool found() {
    int file = open("out/0.out", O_CREAT | O_WRONLY, 0600);
    return file >= 0 && ftruncate(file, (off_t)1 << 40) == 0;
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
