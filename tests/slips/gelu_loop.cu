#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

static __device__ float exact(float v) { return 0.5f * v * (1.0f + erff(v * 0.70710678f)); }
static __device__ float approx(float v) {
    const float k = 0.7978845608f;
    float u = k * (v + 0.044715f * v * v * v);
    return 0.5f * v * (1.0f + tanhf(u));
}

template <class T>
__global__ void gelu_kernel(const T *x, T *y, int64_t n, bool use_tanh) {
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += step) {
        float v = (float)x[i];
        y[i] = (T)(use_tanh ? approx(v) : exact(v));
    }
}

template <class T>
static cudaError_t launch(const T *x, T *y, int64_t n, int64_t approximate, cudaStream_t s) {
    if (n == 0) return cudaSuccess;
    const int threads = 192;
    int64_t blocks = (n + threads - 1) / threads;
    if (blocks > 4096) blocks = 4096;
    gelu_kernel<T><<<(unsigned)blocks, threads, 0, s>>>(x, y, n, approximate != 0);
    return cudaGetLastError();
}

extern "C" cudaError_t gelu(const float *x, float *y, int64_t n, int64_t approximate, cudaStream_t s) { return launch(x, y, n, approximate, s); }
extern "C" cudaError_t gelu_f16(const __half *x, __half *y, int64_t n, int64_t approximate, cudaStream_t s) { return launch(x, y, n, approximate, s); }
extern "C" cudaError_t gelu_bf16(const __nv_bfloat16 *x, __nv_bfloat16 *y, int64_t n, int64_t approximate, cudaStream_t s) { return launch(x, y, n, approximate, s); }
