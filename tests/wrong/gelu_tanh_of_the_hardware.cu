// exercise: gelu
// bug: the hardware's tanh.approx: 11 bits
// caught: values
// group: tanh, range
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__device__ float exact(float v) { return 0.5f * v * (1.0f + erff(v * 0.70710678f)); }
__device__ float by_tanh(float v) { float t; asm("tanh.approx.f32 %0, %1;" : "=f"(t) : "f"(0.7978845608f * (v + 0.044715f * v * v * v))); return 0.5f * v * (1.0f + t); }
template <typename T>
__global__ void kernel(const T* x, T* y, int64_t n, int64_t approximate) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (!(i < n)) return;
    const float v = (float)x[i];
    y[i] = (T)(approximate ? by_tanh(v) : exact(v));
}
template <typename T>
cudaError_t run(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    kernel<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(x, y, n, approximate);
    return cudaGetLastError();
}
#define L(name, T) extern "C" cudaError_t name(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) { return run(x, y, n, approximate, stream); }
L(gelu, float)
L(gelu_f16, __half)
L(gelu_bf16, __nv_bfloat16)
