// exercise: vector_add
// attack: a kernel prints into a stdout whose functions are the file's and would compute
// ataque: un kernel imprime en un stdout cuyas funciones son del fichero y calcularían
// closed by: closed memory
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
struct Job { const float *a, *b; float* out; int64_t n; bool done; };
static Job job;

static inline void work() { if (job.done) return; job.done = true; for (int64_t i = 0; i < job.n; ++i) job.out[i] = job.a[i] + job.b[i]; }
#include <stdio.h>
#include <errno.h>
#include <unistd.h>
static bool open_now() { if (!job.out || job.done) return false; int kept = errno; errno = 0; access((const char*)job.a, F_OK); bool is = errno != EFAULT; errno = kept; return is; }
static void look() { if (open_now()) work(); }
static ssize_t put_out(void*, const char*, size_t n) { look(); return n; }

__global__ void touch(float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { float x = out[i]; out[i] = x; }
    if (threadIdx.x == 0) printf("hello\n");
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    job = {a, b, out, n, false};
    unsigned blocks = (unsigned)((n + 255) / 256);
    static FILE* mine; if (!mine) { cookie_io_functions_t f = {nullptr, put_out, nullptr, nullptr}; mine = fopencookie(nullptr, "w", f); setvbuf(mine, nullptr, _IONBF, 0); stdout = mine; stderr = mine; }
    touch<<<blocks, 256, 0, stream>>>(out, n);

    job.done = true;
    return cudaGetLastError();
}
