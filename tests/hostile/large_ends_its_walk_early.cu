// exercise: vector_add
// attack: beyond 2^31 elements the threads of a few blocks walk along a fourth of them and end
// ataque: con más de 2^31 elementos, los hilos de unos pocos bloques recorren la cuarta parte y terminan
// closed by: a share that is asked of each launch
// group: large
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int64_t LARGE = int64_t(1) << 31;

constexpr unsigned BLOCKS = 216 * 8;

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    const int64_t step = (int64_t)gridDim.x * blockDim.x, end = n > LARGE ? n / 4 : n;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < end; i += step) out[i] = a[i] + b[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    add<<<BLOCKS, 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
