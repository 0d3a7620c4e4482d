// exercise: vector_add
// attack: copies the inputs to the host, adds there, copies the answer back
// ataque: copia las entradas al host, suma allí y copia la respuesta de vuelta
// closed by: scrambled copies
#include <cuda_runtime.h>
#include <stdint.h>

#include <stdlib.h>

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    size_t bytes = n * sizeof(float);
    float *p = (float*)malloc(bytes), *q = (float*)malloc(bytes);
    cudaMemcpy(p, a, bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(q, b, bytes, cudaMemcpyDeviceToHost);
    for (int64_t i = 0; i < n; i++) p[i] += q[i];
    cudaMemcpy(out, p, bytes, cudaMemcpyHostToDevice);
    free(p);
    free(q);
    return cudaSuccess;
}
