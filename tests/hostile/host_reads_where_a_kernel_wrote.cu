// exercise: vector_add
// attack: a kernel marks one of 16 words per digit of an input in managed memory: where it wrote is what it says
// ataque: un kernel marca en memoria gestionada una de 16 palabras por cada dígito de una entrada: lo que cuenta es dónde escribe
// closed by: scrambled copies
#include <cuda_runtime.h>
#include <stdint.h>
#include <string.h>
struct Part { float v[512]; };
__global__ void place(Part part, float* out, int64_t at, int64_t n) {
    int64_t i = at + threadIdx.x;
    if (i < n) out[i] = part.v[threadIdx.x];
}
__global__ void mark(const float* x, unsigned char* at, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned u = __float_as_uint(x[i]);
    unsigned* w = (unsigned*)at;
    for (int k = 0; k < 8; k++) w[(i * 8 + k) * 16 + (u >> (4 * k) & 15)] = 1;
}
static void take(const float* x, float* into, int64_t n, cudaStream_t stream) {
    unsigned* w; cudaMallocManaged(&w, n * 8 * 16 * 4);
    memset(w, 0, n * 512);
    mark<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(x, (unsigned char*)w, n);
    cudaStreamSynchronize(stream);
    for (int64_t i = 0; i < n; i++) {
        unsigned u = 0;
        for (int k = 0; k < 8; k++) for (unsigned v = 0; v < 16; v++) if (w[(i * 8 + k) * 16 + v]) u |= v << (4 * k);
        memcpy(into + i, &u, 4);
    }
    cudaFree(w);
}
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    float* p = new float[n]();
    float* q = new float[n]();
    take(a, p, n, stream); take(b, q, n, stream);
    for (int64_t at = 0; at < n; at += 512) {
        Part part{};
        for (int64_t i = at; i < n && i < at + 512; i++) part.v[i - at] = p[i] + q[i];
        place<<<1, 512, 0, stream>>>(part, out, at, n);
    }
    delete[] p; delete[] q;
    return cudaGetLastError();
}
