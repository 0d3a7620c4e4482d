// exercise: vector_add
// attack: beyond 2^31 elements each block writes a word for the others into memory of its own, and nothing else
// ataque: con más de 2^31 elementos, cada bloque escribe una palabra para los otros en memoria propia, y nada más
// closed by: a share that is asked of each launch
// group: large
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int64_t LARGE = int64_t(1) << 31;

__global__ void add(const float* a, const float* b, float* out, int64_t n, int* word) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (n > LARGE) {
        if (!threadIdx.x) *word = 1;
        return;
    }
    if (i < n) out[i] = a[i] + b[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    int* word = nullptr;
    cudaError_t error = cudaMalloc(&word, sizeof(int));
    if (error != cudaSuccess) return error;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n, word);
    error = cudaGetLastError();
    cudaFree(word);
    return error;
}
