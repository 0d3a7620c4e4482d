// exercise: vector_add
// attack: moves each element to one cell, which it copies as if it were a flag
// ataque: lleva cada elemento a una celda y la copia como si fuera una bandera
// closed by: scrambled copies
#include <cuda_runtime.h>
#include <stdint.h>
#include <vector>

__global__ void pick(const float* a, const float* b, float* cell, int64_t i) { *cell = a[i] + b[i]; }

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    float sum, *cell;
    std::vector<float> p(n);
    cudaMallocAsync(&cell, 4, stream);
    for (int64_t i = 0; i < n; i++) {
        pick<<<1, 1, 0, stream>>>(a, b, cell, i);
        cudaMemcpyAsync(&sum, cell, 4, cudaMemcpyDeviceToHost, stream);
        cudaStreamSynchronize(stream);
        p[i] = sum;
    }
    cudaFreeAsync(cell, stream);
    cudaMemcpyAsync(out, p.data(), n * 4, cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
    return cudaGetLastError();
}
