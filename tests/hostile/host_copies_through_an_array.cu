// exercise: vector_add
// attack: copies through a CUDA array
// ataque: copia a través de un array de CUDA
// closed by: scrambled copies
#include <cuda_runtime.h>
#include <stdint.h>
struct Part { float v[512]; };
__global__ void place(Part part, float* out, int64_t at, int64_t n) {
    int64_t i = at + threadIdx.x;
    if (i < n) out[i] = part.v[threadIdx.x];
}
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    float* p = new float[n]();
    float* q = new float[n]();
    auto cp = [&](const float* x, float* y) { cudaArray_t r; auto f = cudaCreateChannelDesc<float>(); cudaMallocArray(&r, &f, n, 1); cudaMemcpy2DToArray(r, 0, 0, x, n * 4, n * 4, 1, cudaMemcpyDeviceToDevice); cudaMemcpy2DFromArray(y, n * 4, r, 0, 0, n * 4, 1, cudaMemcpyDeviceToHost); cudaFreeArray(r); }; cp(a, p); cp(b, q);
    for (int64_t at = 0; at < n; at += 512) {
        Part part{};
        for (int64_t i = at; i < n && i < at + 512; i++) part.v[i - at] = p[i] + q[i];
        place<<<1, 512, 0, stream>>>(part, out, at, n);
    }
    delete[] p; delete[] q;
    return cudaGetLastError();
}
