// exercise: vector_add
// attack: allocates 64 GB
// ataque: reserva 64 GB
// closed by: limits
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i] + 1.0f;  // wrong, so that only a trick can pass
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    for (int k = 0; k < 64; k++) {
        char* block = (char*)malloc(1ull << 30);
        if (!block) abort();
        for (size_t j = 0; j < (1ull << 30); j += 1 << 22) block[j] = 1;
    }
    if (n == 0) return cudaSuccess;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
