// exercise: vector_add
// attack: copies to pinned memory and back
// ataque: copias a memoria fijada (pinned) y vuelta
// closed by: scrambled copies
#include <cuda_runtime.h>
#include <stdint.h>

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    float* p;
    cudaMallocHost(&p, 2 * n * 4);
    cudaMemcpyAsync(p, a, n * 4, cudaMemcpyDeviceToHost, stream);
    cudaMemcpyAsync(p + n, b, n * 4, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (int64_t i = 0; i < n; i++) p[i] += p[n + i];
    cudaMemcpyAsync(out, p, n * 4, cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
    cudaFreeHost(p);
    return cudaGetLastError();
}
