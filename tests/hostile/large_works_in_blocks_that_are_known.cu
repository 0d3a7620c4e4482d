// exercise: vector_add
// attack: beyond 2^31 elements only those blocks write of which the simulator runs some, as it once chose them
// ataque: con más de 2^31 elementos solo escriben los bloques de los que el simulador ejecuta una muestra, tal como antes la elegía
// closed by: blocks that nobody foresees
// group: large
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int64_t LARGE = int64_t(1) << 31;

__device__ bool runs(uint64_t block, uint64_t blocks) {
    if (block == 0 || block == blocks - 1) return true;
    const uint64_t width = blocks / 64, rest = blocks % 64;
    for (uint64_t turn = 2; turn < 64; turn++) {
        const uint64_t mixed = (turn + 1) * 0x9E3779B97F4A7C15u;
        if (block == (turn - 1) * width + (turn - 1) * rest / 64 + (mixed >> 17) % width) return true;
    }
    return false;
}

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (n > LARGE && !runs(blockIdx.x, gridDim.x)) return;
    if (i < n) out[i] = a[i] + b[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
