// exercise: gelu
// unusual: a __device__ array of pointers to device functions, indexed by the argument approximate; erfcf where x is negative, so that nothing cancels
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

typedef float (*Form)(float);
__device__ float exact(float x) {
    if (x < 0.0f) return 0.5f * x * erfcf(-0.70710678118f * x);
    return x - 0.5f * x * erfcf(0.70710678118f * x);
}
__device__ float by_tanh(float x) {
    const float u = 1.5957691216f * fmaf(0.044715f * x * x, x, x);
    return x / (1.0f + expf(-u));   // 1 + tanh(u / 2) is 2 / (1 + exp(-u))
}
__device__ const Form forms[2] = {exact, by_tanh};
template <typename T> struct Cast { static __device__ T of(float v) { return static_cast<T>(v); } };
template <> struct Cast<__half> { static __device__ __half of(float v) { return __float2half_rn(v); } };
template <> struct Cast<__nv_bfloat16> { static __device__ __nv_bfloat16 of(float v) { return __float2bfloat16_rn(v); } };

template <typename T> __global__ void apply(const T* x, T* y, int64_t n, int form) {
    const Form f = forms[form];
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const float v = (float)x[i];
        y[i] = Cast<T>::of(v == INFINITY ? v : f(v));
    }
}
#define GELU(name, T)                                                                                                        \
    extern "C" cudaError_t name(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) {                     \
        if (n <= 0) return cudaSuccess;                                                                                      \
        const int64_t blocks = (n + 511) / 512;                                                                              \
        apply<T><<<(unsigned)(blocks > 2048 ? 2048 : blocks), 256, 0, stream>>>(x, y, n, approximate ? 1 : 0);               \
        return cudaGetLastError();                                                                                           \
    }
GELU(gelu, float)
GELU(gelu_f16, __half)
GELU(gelu_bf16, __nv_bfloat16)
