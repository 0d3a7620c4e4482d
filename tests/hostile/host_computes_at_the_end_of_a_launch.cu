// exercise: vector_add
// attack: what is made for a launch alone is destroyed with its expression, and computes
// ataque: lo que se crea solo para un lanzamiento se destruye con su expresión, y calcula
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

struct Arg {
    float* p;
    ~Arg() { compute(); }
};

__global__ void touch(float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = out[i];
        out[i] = x;
    }
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    job = {a, b, out, n, false};
    unsigned blocks = (unsigned)((n + 255) / 256);
    touch<<<blocks, 256, 0, stream>>>(Arg{out}.p, n);
    job.done = true;
    return cudaGetLastError();
}
