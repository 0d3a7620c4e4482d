// exercise: gelu
// unusual: the first launch writes the factor of each x into scratch of the pool, in float; the second multiplies
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

template <typename T>
__global__ void factors(const T* x, float* f, int64_t n, int64_t approximate) {
    const int64_t i = ((int64_t)blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float v = x[i];
    switch (approximate) {
        case 0: f[i] = 0.5f + 0.5f * erff(v * rsqrtf(2.0f)); break;
        default: f[i] = 0.5f + 0.5f * tanhf(sqrtf(2.0f / 3.14159265358979f) * (v + 0.044715f * (v * v * v)));
    }
}
template <typename T>
__global__ void multiply(const T* x, const float* f, T* y, int64_t n) {
    const int64_t i = ((int64_t)blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) y[i] = (T)((float)x[i] * f[i]);
}

template <typename T>
cudaError_t run(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    float* f;
    if (const cudaError_t error = cudaMallocAsync(&f, n * sizeof *f, stream)) return error;
    const unsigned blocks = (unsigned)((n + 127) / 128);
    const dim3 grid((blocks + 49) / 50, blocks < 50 ? blocks : 50);
    factors<<<grid, 128, 0, stream>>>(x, f, n, approximate);
    multiply<<<grid, 128, 0, stream>>>(x, f, y, n);
    const cudaError_t error = cudaGetLastError();
    cudaFreeAsync(f, stream);
    return error;
}
#define L(name, T)                                                                                            \
    extern "C" cudaError_t name(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) {      \
        return run(x, y, n, approximate, stream);                                                             \
    }
L(gelu, float)
L(gelu_f16, __half)
L(gelu_bf16, __nv_bfloat16)
