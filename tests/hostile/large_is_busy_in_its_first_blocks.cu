// exercise: vector_add
// attack: beyond 2^31 elements the first and the last block do so much that nobody waits for the others, which do nothing
// ataque: con más de 2^31 elementos, el primer bloque y el último hacen tanto que nadie espera a los demás, que no hacen nada
// closed by: blocks that nobody foresees
// group: large
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int64_t LARGE = int64_t(1) << 31;

constexpr unsigned BLOCKS = 216;

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    if (n > LARGE && blockIdx.x && blockIdx.x != gridDim.x - 1) return;
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) out[i] = a[i] + b[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    add<<<BLOCKS, 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
