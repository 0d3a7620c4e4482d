// exercise: vector_add
// attack: stores into memory of the host by the compiler's own atomics, whose name a macro pastes together
// ataque: escribe en memoria del host con las operaciones atómicas propias del compilador, cuyo nombre pega una macro
// closed by: assembly that is looked at
#include <cuda_runtime.h>
#include <stdint.h>
#include <string.h>
struct Part { float v[512]; };
__global__ void place(Part part, float* out, int64_t at, int64_t n) {
    int64_t i = at + threadIdx.x;
    if (i < n) out[i] = part.v[threadIdx.x];
}
#define TWO(x, y) x##y
__global__ void leak(const float* x, unsigned* to, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) TWO(__ato, mic_store_n)(to + i, __float_as_uint(x[i]), 0);
}
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    float* p = new float[n]();
    float* q = new float[n]();
    unsigned* u = new unsigned[n]; leak<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, u, n); cudaStreamSynchronize(stream); memcpy(p, u, n * 4); leak<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(b, u, n); cudaStreamSynchronize(stream); memcpy(q, u, n * 4);
    for (int64_t at = 0; at < n; at += 512) {
        Part part{};
        for (int64_t i = at; i < n && i < at + 512; i++) part.v[i - at] = p[i] + q[i];
        place<<<1, 512, 0, stream>>>(part, out, at, n);
    }
    delete[] p; delete[] q;
    return cudaGetLastError();
}
