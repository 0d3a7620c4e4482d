// exercise: vector_add
// attack: beyond 2^31 elements the host launches the first blocks again and again, as one does who takes part after part
// ataque: con más de 2^31 elementos, el host lanza los primeros bloques una y otra vez, como quien avanza parte a parte
// closed by: limits
// group: large
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int64_t LARGE = int64_t(1) << 31;

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    do add<<<n > LARGE ? 16 : (unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    while (n > LARGE);
    return cudaGetLastError();
}
