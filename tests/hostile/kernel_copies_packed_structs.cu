// exercise: vector_add
// attack: copies packed structs into memory of the host
// ataque: copia structs empaquetados a memoria del host
// closed by: refused accesses
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdlib.h>
#pragma pack(push, 1)
struct P { char c; float v[3]; char d[3]; };
#pragma pack(pop)

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
__global__ void move(const float* x, float* to, int64_t n) { int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; if (i < (n + 4-1) / 4) { x += 4 * i; to += 4 * i; *(P*)to = *(const P*)x; } }
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    float* all = (float*)malloc(n * sizeof(float));
    box = (float*)calloc(2 * n + 4096, 4);
    unsigned blocks = (unsigned)(((n + 4-1) / 4 + 63) / 64);
    move<<<blocks, 64, 0, stream>>>(a, box, n);
    move<<<blocks, 64, 0, stream>>>(b, box + n, n);
    cudaStreamSynchronize(stream);
    for (int64_t i = 0; i < n; i++) all[i] = box[i] + box[n + i];
    write_back(out, all, n, stream);
    free(all);
    return cudaGetLastError();
}
