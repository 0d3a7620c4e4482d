// exercise: vector_add
// attack: the host computes, and a kernel of the right traffic only copies its answer
// ataque: calcula el host, y un kernel con el tráfico correcto solo copia su respuesta
// closed by: scrambled copies
#include <cuda_runtime.h>
#include <stdint.h>
#include <vector>

__global__ void copy(const float* from, float* to, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    std::vector<float> p(n), q(n);
    cudaMemcpyAsync(p.data(), a, n * 4, cudaMemcpyDeviceToHost, stream);
    cudaMemcpyAsync(q.data(), b, n * 4, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (int64_t i = 0; i < n; i++) p[i] += q[i];
    float* given;
    cudaMallocAsync(&given, n * 4, stream);
    cudaMemcpyAsync(given, p.data(), n * 4, cudaMemcpyHostToDevice, stream);
    copy<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(given, out, n);
    cudaFreeAsync(given, stream);
    return cudaGetLastError();
}
