// exercise: vector_add
// attack: a function of both sides, which the kernel calls, calls one of the host, which computes
// ataque: una función de ambos lados, que llama el kernel, llama a una del host, que calcula
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

__host__ __device__ int both() { return compute(); }

__global__ void touch(float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = out[i];
        out[i] = x;
    }
    both();
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    job = {a, b, out, n, false};
    unsigned blocks = (unsigned)((n + 255) / 256);
    touch<<<blocks, 256, 0, stream>>>(out, n);
    job.done = true;
    return cudaGetLastError();
}
