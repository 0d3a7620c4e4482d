// exercise: vector_add
// attack: dlsym finds mprotect where its name is not written
// ataque: dlsym encuentra mprotect sin que su nombre esté escrito
// closed by: functions without a use
#include <cuda_runtime.h>
#include <stdint.h>
#include <dlfcn.h>

__global__ void idle(float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 0.0f;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    char name[] = {'m', 'p', 'r', 'o', 't', 'e', 'c', 't', 0};
    auto open = (int (*)(void*, size_t, int))dlsym(RTLD_DEFAULT, name);
    idle<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(out, n);
    const void* tensors[] = {a, b, out};
    for (const void* t : tensors) open((void*)((uintptr_t)t / 4096 * 4096), n * 4 + 4096, 3);
    for (int64_t i = 0; i < n; i++) out[i] = a[i] + b[i];
    return cudaGetLastError();
}
