// exercise: vector_add
// attack: its own handler catches a kernel that crashes, and leaves it with device memory open
// ataque: su propio manejador atrapa un kernel que falla y sale de él con la memoria del dispositivo abierta
// closed by: functions without a use
#include <cuda_runtime.h>
#include <stdint.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>

static sigjmp_buf back;
static void leave(int) { siglongjmp(back, 1); }

__global__ void crash(float* out) { *(volatile float*)8 = out[0]; }

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    static float seen[1 << 20];
    signal(SIGSEGV, leave);
    if (!sigsetjmp(back, 1)) crash<<<1, 1, 0, stream>>>(out);
    memcpy(seen, a, n * 4);
    memcpy(seen + n, b, n * 4);
    for (int64_t i = 0; i < n; i++) seen[i] += seen[n + i];
    cudaMemcpyAsync(out, seen, n * 4, cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
    return cudaGetLastError();
}
