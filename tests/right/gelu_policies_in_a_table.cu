// exercise: gelu
// unusual: policies chosen by a table of kernels on the host, constexpr constants, a lambda
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

struct Exact { static constexpr double root = 0.70710678118654752440; static __device__ float of(float v) { return 0.5f * v * erfcf(-v * (float)root); } };
struct Tanh { static __device__ float of(float v) { const float u = 0.79788456080286535588f * fmaf(0.044715f * v * v, v, v); return v / (1.0f + expf(-2.0f * u)); } };
template <typename Policy, typename T> __global__ void gelu_kernel(const T* __restrict__ x, T* __restrict__ y, int64_t n) {
    auto one = [=](int64_t i) { y[i] = static_cast<T>(Policy::of(static_cast<float>(x[i]))); };
    const int64_t first = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) * 2;
    for (int64_t i = first; i < first + 2 && i < n; ++i) one(i);
}
template <typename T> static cudaError_t run(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    using Kernel = void (*)(const T*, T*, int64_t);
    static const Kernel table[] = {gelu_kernel<Exact, T>, gelu_kernel<Tanh, T>};
    table[approximate != 0]<<<(unsigned)((n + 511) / 512), 256, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}

#define LAUNCHER(name, T) \
extern "C" cudaError_t name(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) { return run(x, y, n, approximate, stream); }
LAUNCHER(gelu, float)
LAUNCHER(gelu_f16, __half)
LAUNCHER(gelu_bf16, __nv_bfloat16)
