// exercise: vector_add
// attack: a timer's signal runs host code while a kernel keeps device memory open
// ataque: la señal de un temporizador ejecuta código del host mientras un kernel mantiene abierta la memoria
// closed by: functions without a use
#include <cuda_runtime.h>
#include <stdint.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

static const float *from_a, *from_b;
static int64_t count;
static float seen[1 << 20];

static void wake(int) {
    memcpy(seen, from_a, count * 4);
    memcpy(seen + count, from_b, count * 4);
}

__global__ void wait(float* out, int64_t n) {
    for (int turn = 0; turn < 200000; turn++) out[threadIdx.x % n] += 1.0f;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    from_a = a;
    from_b = b;
    count = n;
    signal(SIGVTALRM, wake);
    itimerval soon = {{0, 0}, {0, 1000}};
    setitimer(ITIMER_VIRTUAL, &soon, nullptr);
    wait<<<1, 32, 0, stream>>>(out, n);
    for (int64_t i = 0; i < n; i++) seen[i] += seen[n + i];
    cudaMemcpyAsync(out, seen, n * 4, cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
    return cudaGetLastError();
}
