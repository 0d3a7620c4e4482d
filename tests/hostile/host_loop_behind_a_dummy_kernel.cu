// exercise: vector_add
// attack: a kernel that does nothing of use, and a loop on the host that does the work
// ataque: un kernel que no hace nada útil y un bucle en el host que hace el trabajo
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
    idle<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(out, n);
    std::vector<float> p(n), q(n);
    cudaMemcpyAsync(p.data(), a, n * 4, cudaMemcpyDeviceToHost, stream);
    cudaMemcpyAsync(q.data(), b, n * 4, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (int64_t i = 0; i < n; i++) p[i] += q[i];
    cudaMemcpyAsync(out, p.data(), n * 4, cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
    return cudaGetLastError();
}
