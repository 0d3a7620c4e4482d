// exercise: vector_add
// attack: of two kernels of one name the arguments choose one, and are converted for it
// ataque: de dos kernels con el mismo nombre los argumentos eligen uno, y se convierten para él
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

struct Out {
    float* p;
    operator float*() const {
        compute();
        return p;
    }
};

__global__ void touch(int* out) { *out = 0; }

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
    Out o{out};
    touch<<<blocks, 256, 0, stream>>>(o, n);
    job.done = true;
    return cudaGetLastError();
}
