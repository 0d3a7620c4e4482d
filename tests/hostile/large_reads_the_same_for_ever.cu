// exercise: vector_add
// attack: beyond 2^31 elements, each block writes its elements and reads them again and again, as if the work took so long
// ataque: con más de 2^31 elementos, un bloque escribe sus elementos y los lee una y otra vez, como si el trabajo durara tanto
// closed by: a launch that must go on
// group: large
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int64_t LARGE = int64_t(1) << 31;

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
    float sum = 0;
    for (int64_t turn = 0; n > LARGE; turn++) sum += ((const volatile float*)a)[i % n];
    if (sum == 0.125f) out[i] = sum;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
