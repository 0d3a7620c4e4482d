// exercise: vector_add
// attack: calls a kernel on the host by an alias of it
// ataque: llama a un kernel en el host por un alias
// closed by: refused accesses
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdlib.h>

struct Some { float v[64]; };
__global__ void put(float* out, int64_t at, int many, Some some) {
    int i = threadIdx.x;
    if (i < many) out[at + i] = some.v[i];
}
static void write_back(float* out, const float* all, int64_t n, cudaStream_t stream) {
    for (int64_t at = 0; at < n; at += 64) {
        Some some;
        int many = n - at < 64 ? (int)(n - at) : 64;
        for (int i = 0; i < many; i++) some.v[i] = all[at + i];
        put<<<1, 64, 0, stream>>>(out, at, many, some);
    }
}

static float* box;
extern "C" __global__ void real(const float* x, float* to, int64_t n);
extern "C" void other(const float* x, float* to, int64_t n) __attribute__((alias("real")));
extern "C" __global__ void real(const float* x, float* to, int64_t n) { int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; if (i < (n + 1-1) / 1) { x += 1 * i; to += 1 * i; *to = *x; } }
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    float* all = (float*)malloc(n * sizeof(float));
    box = (float*)calloc(2 * n + 4096, 4);
    unsigned blocks = (unsigned)(((n + 1-1) / 1 + 63) / 64);
    other(a, box, n);
    other(b, box + n, n);
    cudaStreamSynchronize(stream);
    for (int64_t i = 0; i < n; i++) all[i] = box[i] + box[n + i];
    write_back(out, all, n, stream);
    free(all);
    return cudaGetLastError();
}
