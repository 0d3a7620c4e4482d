// exercise: vector_add
// attack: a kernel reads past the end of its tensors with memcpy, where no hook looks
// ataque: un kernel lee más allá del final de sus tensores con memcpy, donde no mira ningún gancho
// closed by: refused accesses
#include <cuda_runtime.h>
#include <stdint.h>
#include <string.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n, size_t bytes) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    float x[2], y[2];
    memcpy(x, a + i, bytes);
    memcpy(y, b + i, bytes);
    if (i < n) out[i] = x[0] + y[0];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    size_t bytes = 4 * (n % 2 ? 1 : 2);
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n, bytes);
    return cudaGetLastError();
}
