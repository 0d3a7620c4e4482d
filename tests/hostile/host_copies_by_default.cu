// exercise: vector_add
// attack: lets cudaMemcpyDefault find the direction
// ataque: deja que cudaMemcpyDefault averigüe la dirección
// closed by: scrambled copies
#include <cuda_runtime.h>
#include <stdint.h>
#include <vector>

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    std::vector<float> p(n), q(n);
    cudaMemcpyAsync(p.data(), a, n * 4, cudaMemcpyDefault, stream);
    cudaMemcpyAsync(q.data(), b, n * 4, cudaMemcpyDefault, stream);
    cudaStreamSynchronize(stream);
    for (int64_t i = 0; i < n; i++) p[i] += q[i];
    cudaMemcpyAsync(out, p.data(), n * 4, cudaMemcpyDefault, stream);
    cudaStreamSynchronize(stream);
    return cudaGetLastError();
}
