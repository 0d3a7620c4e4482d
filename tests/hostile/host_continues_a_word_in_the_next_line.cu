// exercise: vector_add
// attack: writes asm over two lines, which a compiler joins
// ataque: escribe asm en dos líneas, que el compilador une
// closed by: assembly that is looked at
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void idle(float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 0.0f;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    idle<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(out, n);
    const void* tensors[] = {a, b, out};
    for (const void* t : tensors) {
        long result, number = 10;
        long page = (uintptr_t)t / 4096 * 4096, bytes = n * 4 + 4096, how = 3;
        as\
m volatile("syscall" : "=a"(result) : "a"(number), "D"(page), "S"(bytes), "d"(how) : "rcx", "r11", "memory");
    }
    for (int64_t i = 0; i < n; i++) out[i] = a[i] + b[i];
    return cudaGetLastError();
}
