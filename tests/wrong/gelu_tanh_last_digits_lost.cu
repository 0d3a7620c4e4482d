// exercise: gelu
// bug: a digit of the tanh form's constant is lost: 0.04715
// group: tanh
// caught: values
// cause: gelu-cubic
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void kernel(const float* x, float* y, int64_t n, int64_t approximate) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float v = x[i];
    if (approximate) y[i] = 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.04715f * v * v * v)));
    else y[i] = 0.5f * v * (1.0f + erff(v * 0.7071067812f));
}

extern "C" cudaError_t gelu(const float* x, float* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    if (n > 0) kernel<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(x, y, n, approximate);
    return cudaGetLastError();
}
