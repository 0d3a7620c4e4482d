// exercise: vector_add
// attack: reads device memory through /proc/self/mem, which ignores what pages forbid
// ataque: lee la memoria del dispositivo por /proc/self/mem, que ignora lo que prohíben las páginas
// closed by: Landlock
// needs: landlock 2
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>

__global__ void idle(float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 0.0f;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    static float seen[1 << 20];
    FILE* memory = fopen("/proc/self/mem", "rb");
    if (!memory) return cudaErrorUnknown;
    idle<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(out, n);
    fseek(memory, (long)a, SEEK_SET);
    if (!fread(seen, 4, n, memory)) return cudaErrorUnknown;
    fseek(memory, (long)b, SEEK_SET);
    if (!fread(seen + n, 4, n, memory)) return cudaErrorUnknown;
    for (int64_t i = 0; i < n; i++) seen[i] += seen[n + i];
    cudaMemcpyAsync(out, seen, n * 4, cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
    return cudaGetLastError();
}
