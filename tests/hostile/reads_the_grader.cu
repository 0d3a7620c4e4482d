// exercise: vector_add
// attack: opens, attaches to and reads the grader, to look for the answer
// ataque: abre el corrector, se engancha a él y lo lee, en busca de la respuesta
// closed by: seccomp
#include <cuda_runtime.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

static bool let_in() {
    char path[64], byte;
    snprintf(path, sizeof path, "/proc/%d/mem", (int)getppid());
    if (FILE* memory = fopen(path, "r+")) return fclose(memory) == 0;
    iovec mine{&byte, 1}, theirs{(void*)getppid, 1};
    if (process_vm_readv(getppid(), &mine, 1, &theirs, 1, 0) == 1) return true;
    return ptrace(PTRACE_SEIZE, getppid(), nullptr, nullptr) == 0;
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
