// exercise: vector_add
// attack: loads with instructions of the host's processor that no hook watches, past the end
// ataque: lee con instrucciones del procesador del host que nada vigila, más allá del final
// closed by: refused names
#include <cuda_runtime.h>
#include <stdint.h>
#include <immintrin.h>

__attribute__((target("avx2"))) __device__ __noinline__ float hidden(const float* at) {
    return _mm_cvtss_f32(_mm_i32gather_ps(at, _mm_setzero_si128(), 4));
}

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    float x = hidden(a + i), y = hidden(b + i);  // without a guard: out of bounds for the last block
    if (i < n) out[i] = x + y;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
