// exercise: vector_add
// attack: kernels carry inputs and answer through managed memory, in which the host adds
// ataque: los kernels llevan entradas y respuesta por la memoria gestionada, donde suma el host
// closed by: scrambled copies
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void gather(const float* a, const float* b, float* to, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = a[i];
    if (i < n) to[n + i] = b[i];
}

__global__ void copy(const float* from, float* to, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    float* both;
    cudaMallocManaged(&both, 2 * n * 4);
    gather<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, both, n);
    cudaStreamSynchronize(stream);
    for (int64_t i = 0; i < n; i++) both[i] += both[n + i];
    copy<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(both, out, n);
    cudaStreamSynchronize(stream);
    cudaFree(both);
    return cudaGetLastError();
}
