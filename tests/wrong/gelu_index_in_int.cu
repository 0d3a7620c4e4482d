// exercise: gelu
// bug: the index is an int
// group: large
// caught: crash, values, out-of-bounds-read, wraps, covers-too-little, leaves-out
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__device__ float exact(float v) { return 0.5f * v * erfcf(-v * 0.70710678f); }

__device__ float by_tanh(float v) {
    const float u = 0.79788456f * (v + 0.044715f * v * v * v);
    return v / (1.0f + expf(-2.0f * u));
}

template <typename T> __global__ void gelu_kernel(const T* x, T* y, int64_t n, int64_t approximate) {
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < n) {
        const float v = (float)x[id];
        y[id] = (T)(approximate ? by_tanh(v) : exact(v));
    }
}

template <typename T> cudaError_t run(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    gelu_kernel<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(x, y, n, approximate);
    return cudaGetLastError();
}

extern "C" cudaError_t gelu(const float* x, float* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    return run(x, y, n, approximate, stream);
}

extern "C" cudaError_t gelu_f16(const __half* x, __half* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    return run(x, y, n, approximate, stream);
}

extern "C" cudaError_t gelu_bf16(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    return run(x, y, n, approximate, stream);
}
