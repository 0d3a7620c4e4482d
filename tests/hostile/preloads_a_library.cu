// exercise: vector_add
// attack: starts itself again with a library preloaded
// ataque: se arranca otra vez con una biblioteca precargada
// closed by: fresh inputs
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

static bool found() {
    setenv("LD_PRELOAD", "/tmp/preloaded.so", 1);
    char* words[] = {(char*)"/bin/true", nullptr};
    execv(words[0], words);
    return true;
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
