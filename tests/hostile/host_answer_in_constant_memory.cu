// exercise: vector_add
// attack: the host's answer reaches the kernel through constant memory
// ataque: la respuesta del host le llega al kernel por la memoria constante
// closed by: scrambled copies
#include <cuda_runtime.h>
#include <stdint.h>
#include <vector>

__constant__ float answer[8192];

__global__ void spread(float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = answer[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    std::vector<float> p(n), q(n);
    cudaMemcpyAsync(p.data(), a, n * 4, cudaMemcpyDeviceToHost, stream);
    cudaMemcpyAsync(q.data(), b, n * 4, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (int64_t i = 0; i < n; i++) p[i] += q[i];
    for (int64_t at = 0; at < n; at += 8192) {
        int64_t count = n - at < 8192 ? n - at : 8192;
        cudaMemcpyToSymbolAsync(answer, p.data() + at, count * 4, 0, cudaMemcpyHostToDevice, stream);
        spread<<<32, 256, 0, stream>>>(out + at, count);
    }
    return cudaGetLastError();
}
