// exercise: vector_add
// attack: copies in a stream of its own, ordered by events
// ataque: copias en un stream propio, ordenadas con eventos
// closed by: scrambled copies
#include <cuda_runtime.h>
#include <stdint.h>
#include <vector>

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    std::vector<float> p(n), q(n);
    cudaStream_t other;
    cudaEvent_t ready, done;
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaEventCreate(&ready);
    cudaEventCreate(&done);
    cudaEventRecord(ready, stream);
    cudaStreamWaitEvent(other, ready, 0);
    cudaMemcpyAsync(p.data(), a, n * 4, cudaMemcpyDeviceToHost, other);
    cudaMemcpyAsync(q.data(), b, n * 4, cudaMemcpyDeviceToHost, other);
    cudaStreamSynchronize(other);
    for (int64_t i = 0; i < n; i++) p[i] += q[i];
    cudaMemcpyAsync(out, p.data(), n * 4, cudaMemcpyHostToDevice, other);
    cudaEventRecord(done, other);
    cudaStreamWaitEvent(stream, done, 0);
    cudaStreamSynchronize(other);
    cudaStreamDestroy(other);
    return cudaGetLastError();
}
