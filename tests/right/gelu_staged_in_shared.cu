// exercise: gelu
// unusual: a block keeps its elements in dynamic shared memory between three steps, each with a barrier; blocks go backwards
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

extern __shared__ float kept[];

template <typename T>
__global__ void kernel(const T* x, T* y, int64_t n, int64_t approximate) {
    const int64_t first = (int64_t)(gridDim.x - 1 - blockIdx.x) * blockDim.x;
    const int t = blockDim.x - 1 - threadIdx.x;
    kept[t] = first + t < n ? float(x[first + t]) : 0.0f;
    __syncthreads();
    const float v = kept[threadIdx.x];
    const float p = approximate ? 1.0f / (1.0f + __expf(-1.59576912f * (v + 0.044715f * v * v * v))) : 0.5f * erfcf(v * -0.70710678f);
    __syncthreads();
    kept[threadIdx.x] = v * p;
    __syncthreads();
    if (first + t < n) y[first + t] = T(kept[t]);
}

template <typename T>
cudaError_t run(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    if (!n) return cudaSuccess;
    constexpr int threads = 224;
    kernel<T><<<(unsigned)((n - 1) / threads + 1), threads, threads * sizeof(float), stream>>>(x, y, n, approximate);
    return cudaGetLastError();
}
#define L(name, T)                                                                                            \
    extern "C" cudaError_t name(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) {      \
        return run(x, y, n, approximate, stream);                                                             \
    }
L(gelu, float)
L(gelu_f16, __half)
L(gelu_bf16, __nv_bfloat16)
