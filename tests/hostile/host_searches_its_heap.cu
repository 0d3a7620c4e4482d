// exercise: vector_add
// attack: searches its own heap for the inputs, which the process keeps until their call
// ataque: busca en su propio montón las entradas, que el proceso guarda hasta su llamada
// closed by: inputs in closed pages
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const float* found(const float* tensor, int64_t n, const float* not_this, cudaStream_t stream) {
    float first[4] = {};
    size_t known = (n < 4 ? n : 4) * sizeof(float);
    cudaMemcpyAsync(first, tensor, known, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    char* top = (char*)sbrk(0);
    for (char* at = (char*)((uintptr_t)malloc(1) & ~15); at + n * sizeof(float) <= top; at += 4)
        if (!memcmp(at, first, known) && (const float*)at != first) return (const float*)at;
    for (char* at = (char*)((uintptr_t)malloc(1) & ~15); top - at < (24 << 20); at -= 4)
        if (!memcmp(at, first, known) && (const float*)at != first) return (const float*)at;
    return nullptr;
}

__global__ void idle(float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 0.0f;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    idle<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(out, n);
    const float *x = found(a, n, nullptr, stream), *y = found(b, n, x, stream);
    if (!x || !y) return cudaGetLastError();
    float* sum = (float*)malloc(n * sizeof(float));
    for (int64_t i = 0; i < n; i++) sum[i] = x[i] + y[i];
    cudaMemcpyAsync(out, sum, n * sizeof(float), cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
    return cudaGetLastError();
}
