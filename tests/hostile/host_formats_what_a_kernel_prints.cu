// exercise: vector_add
// attack: registers a function with printf for each format, which would compute as a kernel prints
// ataque: registra en printf una función para cada formato, que calcularía mientras un kernel imprime
// closed by: refused accesses
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
struct Job { const float *a, *b; float* out; int64_t n; bool done; };
static Job job;

static inline void work() { if (job.done) return; job.done = true; for (int64_t i = 0; i < job.n; ++i) job.out[i] = job.a[i] + job.b[i]; }
#include <stdio.h>
#include <printf.h>
#include <errno.h>
#include <unistd.h>
static bool open_now() { if (!job.out || job.done) return false; int kept = errno; errno = 0; access((const char*)job.a, F_OK); bool is = errno != EFAULT; errno = kept; return is; }
static void look() { if (open_now()) work(); }
static int say(FILE*, const struct printf_info*, const void* const*) { look(); return 0; }
static int sizes(const struct printf_info*, size_t n, int* t, int* s) { if (n) { t[0] = PA_INT; s[0] = 4; } return 1; }

__global__ void touch(float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { float x = out[i]; out[i] = x; }
    if (threadIdx.x == 0) printf("hello %d %f\n", (int)n, 1.0);
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    job = {a, b, out, n, false};
    unsigned blocks = (unsigned)((n + 255) / 256);
    for (const char* c = "dfguxs"; *c; ++c) register_printf_specifier(*c, say, sizes);
    touch<<<blocks, 256, 0, stream>>>(out, n);

    job.done = true;
    return cudaGetLastError();
}
