// exercise: vector_add
// attack: a kernel moves the position in a file, where the host reads it
// ataque: un kernel mueve la posición en un fichero, donde el host la lee
// closed by: refused names
#include <cuda_runtime.h>
#include <stdint.h>
#include <unistd.h>
#include <fcntl.h>
#include <stdlib.h>
struct Part { float v[512]; };
__global__ void place(Part part, float* out, int64_t at, int64_t n) {
    int64_t i = at + threadIdx.x;
    if (i < n) out[i] = part.v[threadIdx.x];
}
__global__ void leak(const float* x, int64_t i, int f) { lseek(f, (long)(__float_as_uint(x[i])), SEEK_SET); }
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    float* p = new float[n]();
    float* q = new float[n]();
    char name[] = "out/keptXXXXXX"; int f = mkstemp(name); if (f < 0) f = open("/dev/zero", O_RDONLY); for (int64_t i = 0; i < n; i++) { leak<<<1, 1, 0, stream>>>(a, i, f); unsigned u = (unsigned)lseek(f, 0, SEEK_CUR); p[i] = __builtin_bit_cast(float, u); leak<<<1, 1, 0, stream>>>(b, i, f); u = (unsigned)lseek(f, 0, SEEK_CUR); q[i] = __builtin_bit_cast(float, u); } close(f);
    for (int64_t at = 0; at < n; at += 512) {
        Part part{};
        for (int64_t i = at; i < n && i < at + 512; i++) part.v[i - at] = p[i] + q[i];
        place<<<1, 512, 0, stream>>>(part, out, at, n);
    }
    delete[] p; delete[] q;
    return cudaGetLastError();
}
