// exercise: vector_add
// attack: a kernel is handed the address of the C library's `stpcpy`, and copies the inputs with it, as text, to the host
// ataque: un kernel recibe la dirección de `stpcpy`, de la biblioteca de C, y copia con ella las entradas, como texto, al host
// closed by: refused names
#include <cuda_runtime.h>
#include <stdint.h>
#include <string.h>
struct Copy { char* (*copy)(char*, const char*); };
struct Part { float v[512]; };
__global__ void place(Part part, float* out, int64_t at, int64_t n) {
    int64_t i = at + threadIdx.x;
    if (i < n) out[i] = part.v[threadIdx.x];
}
__global__ void leak(const float* x, char* to, int64_t n, Copy by) { for (int64_t i = 0; i < n; i++) { unsigned u = __float_as_uint(x[i]); for (int k = 0; k < 8; k++) { char c[2] = {(char)('A' + (u >> (4 * k) & 15)), 0}; by.copy(to + i * 9 + k, c); } } }
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    float* p = new float[n]();
    float* q = new float[n]();
    char* t = new char[n * 9 + 2]; auto get = [&](float* r) { for (int64_t i = 0; i < n; i++) { unsigned u = 0; for (int k = 0; k < 8; k++) u |= (unsigned)(t[i * 9 + k] - 'A') << (4 * k); r[i] = __builtin_bit_cast(float, u); } };
leak<<<1, 1, 0, stream>>>(a, t, n, Copy{stpcpy}); get(p); leak<<<1, 1, 0, stream>>>(b, t, n, Copy{stpcpy}); get(q);
    for (int64_t at = 0; at < n; at += 512) {
        Part part{};
        for (int64_t i = at; i < n && i < at + 512; i++) part.v[i - at] = p[i] + q[i];
        place<<<1, 512, 0, stream>>>(part, out, at, n);
    }
    delete[] p; delete[] q;
    return cudaGetLastError();
}
