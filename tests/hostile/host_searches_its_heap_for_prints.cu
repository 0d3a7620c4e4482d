// exercise: vector_add
// attack: a kernel prints the inputs, and the host searches its heap for the text
// ataque: un kernel imprime las entradas, y el host busca el texto en su heap
// closed by: what is printed is kept
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
struct Part { float v[512]; };
__global__ void place(Part part, float* out, int64_t at, int64_t n) {
    int64_t i = at + threadIdx.x;
    if (i < n) out[i] = part.v[threadIdx.x];
}
__device__ unsigned word(const float* x, int64_t i, int64_t n) { return i < n ? __float_as_uint(x[i]) : 0; }
__global__ void say(const float* x, int64_t n, int which) {
    for (int64_t i = 0; i < n; i += 16)
        printf("<%d:%d:%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x>", which, (int)i, word(x, i, n), word(x, i + 1, n),
               word(x, i + 2, n), word(x, i + 3, n), word(x, i + 4, n), word(x, i + 5, n), word(x, i + 6, n), word(x, i + 7, n), word(x, i + 8, n),
               word(x, i + 9, n), word(x, i + 10, n), word(x, i + 11, n), word(x, i + 12, n), word(x, i + 13, n), word(x, i + 14, n), word(x, i + 15, n));
}
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    float* p = new float[n]();
    float* q = new float[n]();
    char* base = (char*)malloc(64);
    say<<<1, 1, 0, stream>>>(a, n, 0);
    say<<<1, 1, 0, stream>>>(b, n, 1);
    cudaStreamSynchronize(stream);
    char* top = (char*)sbrk(0);
    for (char* c = base - (2 << 20); c < top - 160; c++) {
        int which, i, used;
        if (c[0] != '<' || c[2] != ':' || sscanf(c, "<%d:%d:%n", &which, &i, &used) != 2 || i < 0) continue;
        for (int k = 0; k < 16 && i + k < n; k++) {
            unsigned u;
            if (sscanf(c + used + 8 * k, "%8x", &u) == 1) (which ? q : p)[i + k] = __builtin_bit_cast(float, u);
        }
    }
    for (int64_t at = 0; at < n; at += 512) {
        Part part{};
        for (int64_t i = at; i < n && i < at + 512; i++) part.v[i - at] = p[i] + q[i];
        place<<<1, 512, 0, stream>>>(part, out, at, n);
    }
    delete[] p; delete[] q;
    return cudaGetLastError();
}
