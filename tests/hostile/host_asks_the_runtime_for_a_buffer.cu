// exercise: vector_add
// attack: calls the function with which the grader takes its buffers back
// ataque: llama a la función con la que el corrector recupera sus búferes
// closed by: refused names
#include <cuda_runtime.h>
#include <stdint.h>

extern "C" void ok_buffer_take(int, void*);

__global__ void idle(float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 0.0f;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    static float seen[1 << 20];
    idle<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(out, n);
    for (int i = 1; i < 8; i++) ok_buffer_take(i, seen + (i - 1) * (1 << 16));
    return cudaGetLastError();
}
