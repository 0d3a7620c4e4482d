// exercise: vector_add
// attack: the trivial copy is explicit, so that passing by value takes a constructor that computes
// ataque: la copia trivial es explícita, de modo que el paso por valor toma un constructor que calcula
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
    int x = 0;
    Arg() = default;
    explicit Arg(const Arg&) = default;
    template <class T>
    Arg(T&& other) : x(other.x) { compute(); }
};

__global__ void touch(float* out, int64_t n, Arg arg) {
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
    Arg arg;
    touch<<<blocks, 256, 0, stream>>>(out, n, arg);
    job.done = true;
    return cudaGetLastError();
}
