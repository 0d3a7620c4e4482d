// exercise: vector_add
// attack: a pragma gives a function of the file the name of a hook
// ataque: un pragma da a una función del fichero el nombre de un gancho
// closed by: refused names
#include <cuda_runtime.h>
#include <stdint.h>
#pragma redefine_extname mine __tsan_read4
extern "C" void mine(void* p);
extern "C" __attribute__((used)) void mine(void* p) {}
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
