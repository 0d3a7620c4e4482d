// exercise: vector_add
// attack: stops the grader with SIGSTOP, so that it waits for ever
// ataque: para al corrector con SIGSTOP, para que espere siempre
// closed by: Landlock
// needs: landlock 6
#include <cuda_runtime.h>
#include <stdint.h>
#include <signal.h>
#include <unistd.h>

static bool found() {
    return kill(getppid(), SIGSTOP) == 0;
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
