// exercise: vector_add
// unusual: loads and stores in PTX, past the caches; eight elements of a thread, a block apart
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ float read_once(const float* at) {
    float v;
    asm volatile("ld.global.cs.f32 %0, [%1];" : "=f"(v) : "l"(at));
    return v;
}
__device__ __forceinline__ void write_once(float* at, float v) { asm volatile("st.global.cs.f32 [%0], %1;" ::"l"(at), "f"(v) : "memory"); }

__global__ __launch_bounds__(160) void add(const float* a, const float* b, float* out, int64_t n) {
    const int64_t first = (int64_t)blockIdx.x * (160 * 8) + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        const int64_t i = first + k * 160;
        if (i < n) write_once(out + i, read_once(a + i) + read_once(b + i));
    }
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    add<<<(unsigned)((n + 1279) / 1280), 160, 0, stream>>>(a, b, out, n);
    return cudaPeekAtLastError();
}
