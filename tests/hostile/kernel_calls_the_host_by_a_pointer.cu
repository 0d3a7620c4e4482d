// exercise: vector_add
// attack: a kernel is given a pointer to a function of the host, which computes
// ataque: un kernel recibe un puntero a una función del host, que calcula
// closed by: refused accesses
#include <cuda_runtime.h>
#include <stdint.h>

struct Job {
    const float *a, *b;
    float* out;
    int64_t n;
    bool done;
};
static Job job;
static int compute() {
    if (job.done) return 0;
    job.done = true;
    for (int64_t i = 0; i < job.n; ++i) job.out[i] = job.a[i] + job.b[i];
    return 0;
}

typedef int (*Function)();

__global__ void touch(float* out, int64_t n, Function f) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = out[i];
        out[i] = x;
    }
    f();
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    job = {a, b, out, n, false};
    unsigned blocks = (unsigned)((n + 255) / 256);
    touch<<<blocks, 256, 0, stream>>>(out, n, compute);
    job.done = true;
    return cudaGetLastError();
}
