// exercise: gelu
// unusual: auto chooses one of two instances, and cudaOccupancyMaxPotentialBlockSize their launch; a sigmoid and erfcf
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

template <bool kTanh> __device__ float phi(float v) {
    if constexpr (kTanh) {
        const float u = 1.5957691f * (v + 0.044715f * v * v * v);
        return 1.0f / (1.0f + expf(-u));
    } else {
        return 0.5f * erfcf(v * -0.70710678f);
    }
}
template <class T, bool kTanh> __global__ void act(const T* x, T* y, int64_t n) {
    for (int64_t i = threadIdx.x + (int64_t)blockIdx.x * blockDim.x; i < n; i += (int64_t)blockDim.x * gridDim.x) {
        const float v = static_cast<float>(x[i]);
        y[i] = static_cast<T>(v * phi<kTanh>(v));
    }
}
template <class T> cudaError_t go(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t s) {
    if (n <= 0) return cudaSuccess;
    int blocks = 0, threads = 0;
    auto kernel = approximate ? act<T, true> : act<T, false>;
    if (cudaError_t e = cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, kernel); e != cudaSuccess) return e;
    kernel<<<blocks, threads, 0, s>>>(x, y, n);
    return cudaGetLastError();
}

#define GELU(name, T) extern "C" cudaError_t name(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) { return go(x, y, n, approximate, stream); }
GELU(gelu, float) GELU(gelu_f16, __half) GELU(gelu_bf16, __nv_bfloat16)
