// exercise: vector_add
// attack: a kernel tells the host one bit per launch in the way the processor rounds
// ataque: un kernel comunica al host un bit por lanzamiento en el modo en que redondea el procesador
// closed by: refused accesses
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
struct Job { const float *a, *b; float* out; int64_t n; bool done; };
static Job job;

static inline void work() { if (job.done) return; job.done = true; for (int64_t i = 0; i < job.n; ++i) job.out[i] = job.a[i] + job.b[i]; }
#include <fenv.h>

__global__ void bit(const float* a, int64_t i, int k) { unsigned w = __float_as_uint(a[i]); fesetround((w >> k & 1) ? FE_UPWARD : FE_TONEAREST); }
__global__ void put(float* out, int64_t i, float v) { out[i] = v; }
static float get(const float* a, int64_t i, cudaStream_t stream) { unsigned w = 0; for (int k = 0; k < 32; ++k) {  bit<<<1, 1, 0, stream>>>(a, i, k); cudaStreamSynchronize(stream); int mode = fegetround(); fesetround(FE_TONEAREST); if (mode == FE_UPWARD) w |= 1u << k; } float f; memcpy(&f, &w, 4); return f; }

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
