// exercise: vector_add
// attack: catches signals by ssignal, another name of signal, as its children end in the midst of a kernel
// ataque: captura señales con ssignal, otro nombre de signal, cuando sus hijos acaban en medio de un kernel
// closed by: functions without a use
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
struct Job { const float *a, *b; float* out; int64_t n; bool done; };
static Job job;

static inline void work() { if (job.done) return; job.done = true; for (int64_t i = 0; i < job.n; ++i) job.out[i] = job.a[i] + job.b[i]; }
#include <signal.h>
#include <sys/wait.h>
#include <errno.h>
#include <unistd.h>
static bool open_now() { if (!job.out || job.done) return false; int kept = errno; errno = 0; access((const char*)job.a, F_OK); bool is = errno != EFAULT; errno = kept; return is; }
static void look() { if (open_now()) work(); }
static void woken(int) { look(); }

__global__ void touch(float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { float x = out[i]; out[i] = x; }
    for (volatile int q = 0; q < 30000; q = q + 1) ;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    job = {a, b, out, n, false};
    unsigned blocks = (unsigned)((n + 255) / 256);
    ssignal(SIGCHLD, woken); for (int k = 0; k < 50; ++k) if (!fork()) { for (volatile int q = 0; q < (k + 1) * 300000; q = q + 1) ; _exit(0); }
    touch<<<blocks, 256, 0, stream>>>(out, n);

    job.done = true;
    return cudaGetLastError();
}
