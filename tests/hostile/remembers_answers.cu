// exercise: vector_add
// attack: gives the answer of the first call of a size again
// ataque: vuelve a dar la respuesta de la primera llamada de ese tamaño
// closed by: fresh inputs
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void wrong(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i] + 1.0f;  // wrong, so that only a trick can pass
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    static float* kept[4096];
    int64_t slot = n % 4096;
    if (kept[slot]) {
        cudaMemcpyAsync(out, kept[slot], n * 4, cudaMemcpyDeviceToDevice, stream);
        return cudaGetLastError();
    }
    wrong<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    cudaMalloc(&kept[slot], n * 4);
    cudaMemcpyAsync(kept[slot], out, n * 4, cudaMemcpyDeviceToDevice, stream);
    return cudaGetLastError();
}
