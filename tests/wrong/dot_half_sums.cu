// exercise: dot_product
// bug: each thread accumulates in half precision
// caught: values
// group: shapes, long
// cause: sum-narrow
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kThreads = 256;

__global__ void dot(const float* a, const float* b, float* out, int64_t n) {
    __shared__ float part[kThreads];
    const int t = threadIdx.x;
    __half mine = __float2half(0.0f);
    for (int64_t i = (int64_t)blockIdx.x * kThreads + t; i < n; i += (int64_t)gridDim.x * kThreads) mine = __hadd(mine, __float2half(a[i] * b[i]));
    part[t] = __half2float(mine);
    __syncthreads();
    for (int s = kThreads / 2; s > 0; s /= 2) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) atomicAdd(out, part[0]);
}

extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    const int64_t blocks = (n + kThreads * 8 - 1) / (kThreads * 8);
    if (blocks) dot<<<(unsigned)(blocks < 64 ? blocks : 64), kThreads, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
