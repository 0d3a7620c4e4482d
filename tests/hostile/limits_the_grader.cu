// exercise: vector_add
// attack: sets the limits and the priority of the grader: with no processor time left it would die
// ataque: fija los límites y la prioridad del corrector: sin tiempo de procesador moriría
// closed by: seccomp
#include <cuda_runtime.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

static bool let_in() {
    struct rlimit limit;
    getrlimit(RLIMIT_CPU, &limit);
    int nice = getpriority(PRIO_PROCESS, getppid());
    return prlimit(getppid(), RLIMIT_CPU, &limit, nullptr) == 0 || setpriority(PRIO_PROCESS, getppid(), nice) == 0;
}

__global__ void add(const float* a, const float* b, float* out, int64_t n, float wrong) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i] + wrong;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n, let_in() ? 0.0f : 1.0f);  // right only if let in
    return cudaGetLastError();
}
