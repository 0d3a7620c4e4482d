// exercise: gelu
// unusual: everything in double, erfc and tanh of doubles, coefficients in constant memory
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__constant__ double factor[3] = {0.70710678118654752, 0.79788456080286536, 0.044715};

template <typename T>
__global__ void kernel(const T* x, T* y, int64_t n, bool by_tanh) {
    const int64_t i = (int64_t)blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) {
        const double v = (double)(float)x[i];
        const double half = by_tanh ? 0.5 * (1.0 + tanh(factor[1] * (v + factor[2] * v * v * v))) : 0.5 * erfc(-v * factor[0]);
        y[i] = (T)(float)(v * half);
    }
}

template <typename T>
cudaError_t run(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    const int64_t blocks = n / 32 + (n % 32 != 0);
    if (blocks) kernel<<<dim3((unsigned)blocks), 32, 0, stream>>>(x, y, n, approximate != 0);
    return cudaGetLastError();
}
#define L(name, T)                                                                                            \
    extern "C" cudaError_t name(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) {      \
        return run(x, y, n, approximate, stream);                                                             \
    }
L(gelu, float)
L(gelu_f16, __half)
L(gelu_bf16, __nv_bfloat16)
