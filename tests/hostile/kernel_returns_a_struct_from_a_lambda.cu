// exercise: vector_add
// attack: the result of a lambda, in whose name are brackets, goes straight into the host's memory
// ataque: el resultado de una lambda, cuyo nombre lleva paréntesis, va directo a la memoria del host
// closed by: refused accesses
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct Plain { float v[16]; };
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
__global__ void move(const float* x, float* to, int64_t n) { int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; if (i < (n + 15) / 16) { auto f = [=] () __attribute__((noinline)) -> Plain { return *(const Plain*)(x + 16 * i); }; *(Plain*)(to + 16 * i) = f(); } }
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    float* all = (float*)malloc(n * sizeof(float));
    box = (float*)calloc(2 * n + 256, 4);
    unsigned blocks = (unsigned)(((n + 15) / 16 + 63) / 64);
    move<<<blocks, 64, 0, stream>>>(a, box, n);
    move<<<blocks, 64, 0, stream>>>(b, box + n, n);
    cudaStreamSynchronize(stream);
    for (int64_t i = 0; i < n; i++) all[i] = box[i] + box[n + i];
    free(box);
    write_back(out, all, n, stream);
    free(all);
    return cudaGetLastError();
}
