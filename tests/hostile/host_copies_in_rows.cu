// exercise: vector_add
// attack: copies rows with cudaMemcpy2D
// ataque: copia por filas con cudaMemcpy2D
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
    cudaMemcpy2DAsync(p.data(), 4, a, 4, 4, n, cudaMemcpyDeviceToHost, stream);
    cudaMemcpy2DAsync(q.data(), 4, b, 4, 4, n, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (int64_t i = 0; i < n; i++) p[i] += q[i];
    cudaMemcpy2DAsync(out, 4, p.data(), 4, 4, n, cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
    return cudaGetLastError();
}
