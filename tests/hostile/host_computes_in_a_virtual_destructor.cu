// exercise: vector_add
// attack: a virtual destructor of the argument's base calls what the class has overridden
// ataque: un destructor virtual de la base del argumento llama a lo que la clase ha redefinido
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

struct Base {
    int x = 0;
    virtual int work() { return 0; }
    virtual ~Base() {}
};
struct Arg : Base {
    int work() override { return compute(); }
    ~Arg() override {
        Base* self = this;
        self->work();
    }
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
