// exercise: vector_add
// attack: replaces operator delete, which the simulator calls while a kernel runs
// ataque: sustituye operator delete, que el simulador llama mientras se ejecuta un kernel
// closed by: fences
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
struct Job { const float *a, *b; float* out; int64_t n; bool done; };
static Job job;

static inline void work() { if (job.done) return; job.done = true; for (int64_t i = 0; i < job.n; ++i) job.out[i] = job.a[i] + job.b[i]; }
#include <new>
#include <errno.h>
#include <unistd.h>
static bool open_now() { if (!job.out || job.done) return false; int kept = errno; errno = 0; access((const char*)job.a, F_OK); bool is = errno != EFAULT; errno = kept; return is; }
static void look() { if (open_now()) work(); }
void operator delete(void*) noexcept { look(); }
void operator delete(void*, size_t) noexcept { look(); }

__global__ void touch(float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { float x = out[i]; out[i] = x; }

}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    job = {a, b, out, n, false};
    unsigned blocks = (unsigned)((n + 255) / 256);

    touch<<<blocks, 256, 0, stream>>>(out, n);

    job.done = true;
    return cudaGetLastError();
}
