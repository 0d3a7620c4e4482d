// exercise: vector_add
// attack: beyond 2^31 elements each thread writes one element and walks on through the inputs without writing any other
// ataque: con más de 2^31 elementos, cada hilo escribe un elemento y sigue recorriendo las entradas sin escribir ningún otro
// closed by: a launch that must go on
// group: large
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int64_t LARGE = int64_t(1) << 31;

constexpr unsigned BLOCKS = 8;

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    const int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, step = (int64_t)gridDim.x * blockDim.x;
    float sum = 0;
    for (int64_t i = first; i < n; i += step) {
        if (n < LARGE || i < step) out[i] = a[i] + b[i];
        else sum += ((const volatile float*)a)[i];
    }
    if (sum == 0.125f) out[first] = sum;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    add<<<BLOCKS, 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
