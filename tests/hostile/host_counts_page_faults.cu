// exercise: vector_add
// attack: a kernel uses as much of its stack as a nibble of an input says, and getrusage counts the pages
// ataque: un kernel usa tanta pila como dicen cuatro bits de una entrada, y getrusage cuenta las páginas
// closed by: functions without a use
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

__global__ void tell(const float* x, int64_t i, int shift) {
    unsigned k = (__float_as_uint(x[i]) >> shift) & 15;
    volatile char local[16 * 4096 + 64]; for (unsigned j = 0; j < k; j++) local[4096 * j] = 1;
}

static float read_one(const float* x, int64_t i, cudaStream_t stream) {
    unsigned bits = 0;
    for (int shift = 0; shift < 32; shift += 4) {
        rusage r0, r1; getrusage(RUSAGE_SELF, &r0);
        tell<<<1, 1, 0, stream>>>(x, i, shift);
        cudaStreamSynchronize(stream);
        getrusage(RUSAGE_SELF, &r1); unsigned k = (unsigned)(r1.ru_minflt - r0.ru_minflt);
        bits |= (k & 15u) << shift;
    }
    float value;
    memcpy(&value, &bits, 4);
    return value;
}
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    float* all = (float*)malloc(n * sizeof(float));
    for (int64_t i = 0; i < n; i++) all[i] = read_one(a, i, stream) + read_one(b, i, stream);
    write_back(out, all, n, stream);
    free(all);
    return cudaGetLastError();
}
