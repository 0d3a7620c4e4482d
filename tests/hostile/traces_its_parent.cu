// exercise: vector_add
// attack: attaches to the process above it as a debugger
// ataque: se engancha como depurador al proceso que tiene encima
// closed by: functions without a use
#include <cuda_runtime.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <unistd.h>

static bool found() {
    return ptrace(PTRACE_ATTACH, getppid(), nullptr, nullptr) == 0;
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
