// exercise: vector_add
// attack: a literal of the file's own makes an object that computes as it becomes the parameter
// ataque: un literal propio del fichero crea un objeto que calcula al convertirse en el parámetro
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

struct Made {
    int x;
    operator int() const { return compute(); }
};
static Made operator""_made(unsigned long long x) { return {(int)x}; }

__global__ void touch(float* out, int64_t n, int arg) {
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
    touch<<<blocks, 256, 0, stream>>>(out, n, 5_made);
    job.done = true;
    return cudaGetLastError();
}
