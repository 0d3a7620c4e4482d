// exercise: vector_add
// attack: copies four bytes at a time, each too small to be noticed
// ataque: copia de cuatro en cuatro bytes, cada copia demasiado pequeña para notarse
// closed by: scrambled copies
#include <cuda_runtime.h>
#include <stdint.h>
#include <vector>

__global__ void idle(float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 0.0f;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    std::vector<float> p(n), q(n);
    idle<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(out, n);
    for (int64_t i = 0; i < n; i++) {
        cudaMemcpyAsync(&p[i], a + i, 4, cudaMemcpyDeviceToHost, stream);
        cudaMemcpyAsync(&q[i], b + i, 4, cudaMemcpyDeviceToHost, stream);
    }
    cudaStreamSynchronize(stream);
    for (int64_t i = 0; i < n; i++) p[i] += q[i];
    cudaMemcpyAsync(out, p.data(), n * 4, cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
    return cudaGetLastError();
}
