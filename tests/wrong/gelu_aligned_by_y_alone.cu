// exercise: gelu
// bug: whether x lies on a boundary, too, is not asked
// group: unaligned
// caught: misaligned-access
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__device__ float gelu_of(float v, int64_t approximate) {
    if (approximate) return 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
    return 0.5f * v * (1.0f + erff(v * 0.7071067812f));
}

__global__ void kernel(const float* x, float* y, int64_t n, int64_t approximate) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const bool wide = (uintptr_t)y % 16 == 0;
    if (wide && i * 4 + 4 <= n) {
        const float4 v = ((const float4*)x)[i];
        ((float4*)y)[i] = make_float4(gelu_of(v.x, approximate), gelu_of(v.y, approximate), gelu_of(v.z, approximate), gelu_of(v.w, approximate));
    } else {
        for (int64_t j = i * 4; j < n && j < i * 4 + 4; ++j) y[j] = gelu_of(x[j], approximate);
    }
}

extern "C" cudaError_t gelu(const float* x, float* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    if (n > 0) kernel<<<(unsigned)((n + 1023) / 1024), 256, 0, stream>>>(x, y, n, approximate);
    return cudaGetLastError();
}
