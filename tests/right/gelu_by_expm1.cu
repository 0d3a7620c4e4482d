// exercise: gelu
// unusual: the tanh form by expm1f of a positive argument, signs put back by copysignf; the exact form by erff of a quotient
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__device__ float exact(float v) { return v * fmaf(0.5f, erff(v / 1.41421356237f), 0.5f); }
__device__ float by_tanh(float v) { const float u = 1.5957691216f * fabsf(fmaf(0.044715f * v * v, v, v)); const float e = expm1f(fminf(u, 60.0f)); const float t = copysignf(e / (e + 2.0f), v); return 0.5f * v * (1.0f + t); }
template <typename T>
__global__ void kernel(const T* x, T* y, int64_t n, int64_t approximate) {
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x)
        y[i] = (T)(approximate ? by_tanh((float)x[i]) : exact((float)x[i]));
}
template <typename T>
cudaError_t run(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    kernel<<<(unsigned)((n + 639) / 640), 640, 0, stream>>>(x, y, n, approximate);
    return cudaGetLastError();
}
#define L(name, T) extern "C" cudaError_t name(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) { return run(x, y, n, approximate, stream); }
L(gelu, float)
L(gelu_f16, __half)
L(gelu_bf16, __nv_bfloat16)
