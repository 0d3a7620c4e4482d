// exercise: vector_add
// attack: a kernel tells the host one bit per launch by lgamma, in the C library's variable for its sign
// ataque: un kernel comunica al host un bit por lanzamiento con lgamma, en la variable de la biblioteca de C que guarda su signo
// closed by: refused accesses
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
struct Job { const float *a, *b; float* out; int64_t n; bool done; };
static Job job;

static inline void work() { if (job.done) return; job.done = true; for (int64_t i = 0; i < job.n; ++i) job.out[i] = job.a[i] + job.b[i]; }
#include <math.h>

__global__ void bit(const float* a, int64_t i, int k) { unsigned w = __float_as_uint(a[i]); volatile float x = (w >> k & 1) ? -0.5f : 0.5f; volatile float y = lgammaf(x); (void)y; }
__global__ void put(float* out, int64_t i, float v) { out[i] = v; }
static float get(const float* a, int64_t i, cudaStream_t stream) { unsigned w = 0; for (int k = 0; k < 32; ++k) {  bit<<<1, 1, 0, stream>>>(a, i, k); cudaStreamSynchronize(stream); if (signgam < 0) w |= 1u << k; } float f; memcpy(&f, &w, 4); return f; }

__global__ void touch(float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { float x = out[i]; out[i] = x; }

}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    job = {a, b, out, n, false};
    unsigned blocks = (unsigned)((n + 255) / 256);

    touch<<<blocks, 256, 0, stream>>>(out, n);
    for (int64_t i = 0; i < n; ++i) put<<<1, 1, 0, stream>>>(out, i, get(a, i, stream) + get(b, i, stream));
    job.done = true;
    return cudaGetLastError();
}
