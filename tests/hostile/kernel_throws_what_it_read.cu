// exercise: vector_add
// attack: a kernel throws the inputs, and the launcher catches them
// ataque: un kernel lanza las entradas como excepciones, y la función de lanzamiento las captura
// closed by: refused names
#include <cuda_runtime.h>
#include <stdint.h>
struct Part { float v[512]; };
__global__ void place(Part part, float* out, int64_t at, int64_t n) {
    int64_t i = at + threadIdx.x;
    if (i < n) out[i] = part.v[threadIdx.x];
}
__global__ void tell(const float* x, int64_t i) { throw x[i]; }
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    float* p = new float[n]();
    float* q = new float[n]();
    for (int64_t i = 0; i < n; i++) { try { tell<<<1, 1, 0, stream>>>(a, i); } catch (float f) { p[i] = f; } try { tell<<<1, 1, 0, stream>>>(b, i); } catch (float f) { q[i] = f; } }
    for (int64_t at = 0; at < n; at += 512) {
        Part part{};
        for (int64_t i = at; i < n && i < at + 512; i++) part.v[i - at] = p[i] + q[i];
        place<<<1, 512, 0, stream>>>(part, out, at, n);
    }
    delete[] p; delete[] q;
    return cudaGetLastError();
}
