// exercise: gelu
// bug: a loop comes to the element behind a thread's own array: where it is unrolled, no result shows it
// group: exact, tanh
// caught: array-bounds
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kEach = 4;

__device__ float gelu_of(float v, int64_t approximate) {
    if (approximate) return 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
    return 0.5f * v * (1.0f + erff(v * 0.7071067812f));
}

__global__ void kernel(const float* x, float* y, int64_t n, int64_t approximate) {
    const int64_t first = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) * kEach;
    float v[kEach];
#pragma unroll
    for (int k = 0; k < kEach; ++k) v[k] = first + k < n ? x[first + k] : 0.0f;
#pragma unroll
    for (int k = 0; k <= kEach; ++k) v[k] = gelu_of(v[k], approximate);
#pragma unroll
    for (int k = 0; k < kEach; ++k)
        if (first + k < n) y[first + k] = v[k];
}

extern "C" cudaError_t gelu(const float* x, float* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    if (n > 0) kernel<<<(unsigned)((n + 1023) / 1024), 256, 0, stream>>>(x, y, n, approximate);
    return cudaGetLastError();
}
