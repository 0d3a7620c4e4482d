// exercise: vector_add
// attack: a kernel prints the inputs, and the launcher reads them from standard output
// ataque: un kernel imprime las entradas y la función de lanzamiento las lee de la salida estándar
// closed by: what is printed is kept
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__global__ void print(const float* a, const float* b, int64_t i) { printf("%a\n", a[i] + b[i]); }

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    static float seen[1 << 20];
    int ends[2];
    if (pipe(ends) || dup2(ends[1], 1) < 0) return cudaErrorUnknown;
    for (int64_t i = 0; i < n; i++) {
        print<<<1, 1, 0, stream>>>(a, b, i);
        cudaStreamSynchronize(stream);
        char text[64] = {};
        if (read(ends[0], text, 63) < 1) return cudaErrorUnknown;
        seen[i] = strtof(text, nullptr);
    }
    cudaMemcpyAsync(out, seen, n * 4, cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
    return cudaGetLastError();
}
