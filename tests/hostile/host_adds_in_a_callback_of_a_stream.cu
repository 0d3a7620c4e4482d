// exercise: vector_add
// attack: a callback of a stream computes behind a kernel
// ataque: una función de retorno de un stream calcula tras un kernel
// closed by: refused accesses
#include <cuda_runtime.h>
#include <stdint.h>
struct Job { const float *a, *b; float* out; int64_t n; };
static Job job;
static void work(cudaStream_t, cudaError_t, void*) { for (int64_t i = 0; i < job.n; ++i) job.out[i] = job.a[i] + job.b[i]; }
__global__ void touch(float* out, int64_t n) { int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = 0; }
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    job = {a, b, out, n};
    touch<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(out, n);
    cudaStreamAddCallback(stream, work, nullptr, 0);
    cudaStreamSynchronize(stream);
    return cudaGetLastError();
}
