// exercise: vector_add
// attack: a thread of the host reads device memory while a kernel keeps it open
// ataque: un hilo del host lee la memoria del dispositivo mientras un kernel la mantiene abierta
// closed by: seccomp
#include <cuda_runtime.h>
#include <stdint.h>
#include <string.h>
#include <thread>

static volatile int running;

__global__ void wait(float* out, volatile int* running) {
    *running = 1;
    for (int turn = 0; *running == 1 && turn < 100000000; turn++) {}
    out[0] = 0.0f;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    static float seen[1 << 20];
    std::thread reader([=] {
        while (!running) {}
        memcpy(seen, a, n * 4);
        memcpy(seen + n, b, n * 4);
        running = 2;
    });
    wait<<<1, 1, 0, stream>>>(out, &running);
    reader.join();
    for (int64_t i = 0; i < n; i++) seen[i] += seen[n + i];
    cudaMemcpyAsync(out, seen, n * 4, cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
    return cudaGetLastError();
}
