// exercise: vector_add
// attack: reads the inputs from the file in which the job brought them, and adds on the host
// ataque: lee las entradas del fichero en que las trajo el trabajo, y suma en el host
// closed by: inputs in closed pages
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* bytes;
static size_t length;

static const float* found(const float* tensor, int64_t n, cudaStream_t stream) {  // by its first bytes, which a copy may bring
    float first[4] = {};
    size_t known = (n < 4 ? n : 4) * sizeof(float);
    cudaMemcpyAsync(first, tensor, known, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (size_t at = 0; at + known <= length; at += 4)
        if (!memcmp(bytes + at, first, known)) return (const float*)(bytes + at);
    return nullptr;
}

__global__ void idle(float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 0.0f;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    if (!bytes) {
        char* room = (char*)malloc(64 << 20);
        FILE* file = fopen("in", "rb");
        if (file) length = fread(room, 1, 64 << 20, file);
        bytes = room;
    }
    idle<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(out, n);
    const float *x = found(a, n, stream), *y = found(b, n, stream);
    if (!x || !y) return cudaGetLastError();
    float* sum = (float*)malloc(n * sizeof(float));
    for (int64_t i = 0; i < n; i++) sum[i] = x[i] + y[i];
    cudaMemcpyAsync(out, sum, n * sizeof(float), cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
    free(sum);
    return cudaGetLastError();
}
