// exercise: gelu
// unusual: powf for the cube, erfcf for the exact form, M_2_SQRTPI and M_SQRT1_2 for the constants
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__device__ float exact(float v) { return 0.5f * v * erfcf(-v * (float)M_SQRT1_2); }
__device__ float by_tanh(float v) { return 0.5f * v * (1.0f + tanhf((float)(M_2_SQRTPI * M_SQRT1_2) * (v + 0.044715f * powf(v, 3.0f)))); }
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
