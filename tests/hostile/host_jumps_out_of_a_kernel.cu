// exercise: vector_add
// attack: longjmp leaves a kernel with device memory open
// ataque: longjmp sale de un kernel con la memoria del dispositivo abierta
// closed by: functions without a use
#include <cuda_runtime.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>

static jmp_buf back;

__global__ void jump(float* out, jmp_buf* to) {
    out[0] = 0.0f;
    longjmp(*to, 1);
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    static float seen[1 << 20];
    if (!_setjmp(back)) jump<<<1, 1, 0, stream>>>(out, &back);
    memcpy(seen, a, n * 4);
    memcpy(seen + n, b, n * 4);
    for (int64_t i = 0; i < n; i++) seen[i] += seen[n + i];
    cudaMemcpyAsync(out, seen, n * 4, cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
    return cudaGetLastError();
}
