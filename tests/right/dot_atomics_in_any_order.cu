// exercise: dot_product
// unusual: every warp adds its sum to out by itself, in whatever order they come
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kThreads = 256;

__global__ void dot(const float* a, const float* b, float* out, int64_t n) {
    const int t = threadIdx.x;
    float mine = 0;
    for (int64_t i = (int64_t)blockIdx.x * kThreads + t; i < n; i += (int64_t)gridDim.x * kThreads) mine += a[i] * b[i];
    for (int s = 16; s > 0; s /= 2) mine += __shfl_xor_sync(0xffffffff, mine, s);
    if (t % 32 == 0) atomicAdd(out, mine);
}

extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    const int64_t blocks = (n + kThreads * 8 - 1) / (kThreads * 8);
    if (blocks) dot<<<(unsigned)(blocks < 64 ? blocks : 64), kThreads, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
