// exercise: vector_add
// attack: a kernel writes the inputs into a stream of C++ by a pointer to its member function
// ataque: un kernel escribe las entradas en un flujo de C++ con un puntero a su función miembro
// closed by: fences
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
struct Job { const float *a, *b; float* out; int64_t n; bool done; };
static Job job;

static inline void work() { if (job.done) return; job.done = true; for (int64_t i = 0; i < job.n; ++i) job.out[i] = job.a[i] + job.b[i]; }
#include <sstream>
struct Chunk { float v[512]; };
__global__ void give(float* out, int64_t at, int64_t n, Chunk c) { int64_t i = at + threadIdx.x; if (i < n) out[i] = c.v[threadIdx.x]; }
typedef std::ostream& (std::ostream::*Mv)(const char*, std::streamsize);
__global__ void move(std::ostream* o, const char* from, size_t n, Mv f) { if (blockIdx.x == 0 && threadIdx.x == 0) (o->*f)(from, n); }

__global__ void touch(float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { float x = out[i]; out[i] = x; }

}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    job = {a, b, out, n, false};
    unsigned blocks = (unsigned)((n + 255) / 256);
    static std::stringstream* s; s = new std::stringstream; Mv f = &std::ostream::write; move<<<1, 1, 0, stream>>>(s, (const char*)a, n * 4, f); move<<<1, 1, 0, stream>>>(s, (const char*)b, n * 4, f); cudaStreamSynchronize(stream); std::string got = s->str(); static float sum[1 << 20]; const float* p = (const float*)got.data(); for (int64_t i = 0; i < n; ++i) sum[i] = p[i] + p[n + i];
    touch<<<blocks, 256, 0, stream>>>(out, n);
    for (int64_t i = 0; i < n; i += 512) { Chunk c; memcpy(c.v, sum + i, (n - i < 512 ? n - i : 512) * 4); give<<<1, 512, 0, stream>>>(out, i, n, c); }
    job.done = true;
    return cudaGetLastError();
}
