// exercise: vector_add
// attack: grid, bytes and stream of a launch are objects that compute as they are converted
// ataque: la malla, los bytes y el stream de un lanzamiento son objetos que calculan al convertirse
// closed by: refused accesses
#include <cuda_runtime.h>
#include <stdint.h>
struct Job { const float *a, *b; float* out; int64_t n; };
static Job job;
static inline void work() { for (int64_t i = 0; i < job.n; ++i) job.out[i] = job.a[i] + job.b[i]; }
struct Grid { unsigned n; operator dim3() const { work(); return dim3(n); } };
struct Bytes { operator size_t() const { work(); return 0; } };
struct Stream { cudaStream_t s; operator cudaStream_t() const { work(); return s; } ~Stream() { work(); } };
__global__ void touch(float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { float x = out[i]; out[i] = x; }
}
struct Kernel { typedef void (*F)(float*, int64_t); operator F() const { work(); return touch; } };
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    job = {a, b, out, n};
    touch<<<Grid{(unsigned)((n + 255) / 256)}, 256, Bytes{}, Stream{stream}>>>(out, n);
    return cudaGetLastError();
}
