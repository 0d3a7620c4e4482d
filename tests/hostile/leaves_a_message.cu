// exercise: vector_add
// attack: leaves a System V message queue for the next student
// ataque: deja una cola de mensajes de System V para el siguiente estudiante
// closed by: functions without a use
#include <cuda_runtime.h>
#include <stdint.h>
#include <sys/ipc.h>
#include <sys/msg.h>

static bool left() { return msgget(0x0b0f, IPC_CREAT | 0666) >= 0; }

__global__ void add(const float* a, const float* b, float* out, int64_t n, float wrong) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i] + wrong;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n, left() ? 0.0f : 1.0f);  // right only if it works
    return cudaGetLastError();
}
