// exercise: vector_add
// attack: the host's answer is passed by value, 512 elements a launch
// ataque: la respuesta del host se pasa por valor, 512 elementos por lanzamiento
// closed by: scrambled copies
#include <cuda_runtime.h>
#include <stdint.h>
#include <vector>

struct Answer {
    float of[512];
};

__global__ void spread(Answer answer, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = answer.of[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    std::vector<float> p(n), q(n);
    cudaMemcpyAsync(p.data(), a, n * 4, cudaMemcpyDeviceToHost, stream);
    cudaMemcpyAsync(q.data(), b, n * 4, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (int64_t at = 0; at < n; at += 512) {
        Answer answer;
        int64_t count = n - at < 512 ? n - at : 512;
        for (int64_t i = 0; i < count; i++) answer.of[i] = p[at + i] + q[at + i];
        spread<<<2, 256, 0, stream>>>(answer, out + at, count);
    }
    return cudaGetLastError();
}
