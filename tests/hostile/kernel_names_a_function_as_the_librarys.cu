// exercise: vector_add
// attack: a function with a name of the C++ library's, called by a pointer, moves a struct into the host's memory without a hook
// ataque: una función con un nombre de la biblioteca de C++, llamada por un puntero, mueve un struct a la memoria del host sin gancho
// closed by: refused accesses
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct Plain { float v[16]; }; __device__ __attribute__((noinline)) Plain made(const float* x) { return *(const Plain*)x; } namespace std { __device__ __attribute__((noinline)) void go(const float* x, float* to) { *(Plain*)to = made(x); } } typedef void (*Move)(const float*, float*); __device__ Move far = std::go;
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
__global__ void move(const float* x, float* to, int64_t n) { int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; if (i < (n + 15) / 16) { far(x + 16 * i, to + 16 * i); } }
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
