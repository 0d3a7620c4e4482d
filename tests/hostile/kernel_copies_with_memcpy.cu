// exercise: vector_add
// attack: a kernel calls memcpy with an address of the host: the library's code has no hooks
// ataque: un kernel llama a memcpy con una dirección del host: el código de la biblioteca no tiene ganchos
// closed by: refused accesses
#include <cuda_runtime.h>
#include <stdint.h>
#include <string.h>

static float seen[1 << 20];

__global__ void carry(const float* from, float* to, int64_t n) { memcpy(to, from, n * 4); }

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    float* place = seen;
    carry<<<1, 1, 0, stream>>>(a, place, n);
    carry<<<1, 1, 0, stream>>>(b, place + n, n);
    cudaStreamSynchronize(stream);
    for (int64_t i = 0; i < n; i++) seen[i] += seen[n + i];
    cudaMemcpyAsync(out, seen, n * 4, cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
    return cudaGetLastError();
}
