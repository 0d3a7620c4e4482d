// exercise: vector_add
// attack: defines the hook of loads, whose name it pastes, so that no load is seen
// ataque: define el gancho de las lecturas, cuyo nombre compone, para que no se vea ninguna
// closed by: refused names
#include <cuda_runtime.h>
#include <stdint.h>
#define JOIN(x, y) x##y
extern "C" __attribute__((used)) void JOIN(__ts, an_read4)(void*) {}
__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    float sum = a[i] + b[i];
    if (i < n) out[i] = sum;
}
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
