// exercise: gelu
// unusual: cudaLaunchKernel with an array of arguments, a union for vectors of 16 bytes where they fit
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

template <typename T> union Sixteen { uint4 raw; T each[16 / sizeof(T)]; __device__ Sixteen() {} };
__device__ float form(float v, int how) {
    return how ? 0.5f * v * (1.0f + tanhf(0.7978845608028654f * (v + 0.044715f * v * v * v))) : v * normcdff(v);
}
template <typename T> __global__ void gelu_kernel(const T* x, T* y, int64_t n, int how) {
    constexpr int N = 16 / sizeof(T);
    const bool wide = ((uintptr_t)x | (uintptr_t)y) % 16 == 0;
    const int64_t first = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) * N;
    if (first >= n) return;
    if (wide && first + N <= n) {
        Sixteen<T> v;
        v.raw = *reinterpret_cast<const uint4*>(x + first);
#pragma unroll
        for (int k = 0; k < N; ++k) v.each[k] = (T)form((float)v.each[k], how);
        *reinterpret_cast<uint4*>(y + first) = v.raw;
        return;
    }
    for (int64_t i = first; i < n && i < first + N; ++i) y[i] = (T)form((float)x[i], how);
}
template <typename T> static cudaError_t run(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    int how = approximate != 0;
    void* arguments[] = {&x, &y, &n, &how};
    const int64_t each = 16 / sizeof(T) * 128;
    return cudaLaunchKernel((const void*)gelu_kernel<T>, dim3((unsigned)((n + each - 1) / each)), dim3(128), arguments, 0, stream);
}

#define LAUNCHER(name, T) \
extern "C" cudaError_t name(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) { return run(x, y, n, approximate, stream); }
LAUNCHER(gelu, float)
LAUNCHER(gelu_f16, __half)
LAUNCHER(gelu_bf16, __nv_bfloat16)
