// exercise: vector_add
// unusual: cudaLaunchKernelEx with a template of four elements a thread, an if with an initialiser
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

template <int kPer>
__global__ void __launch_bounds__(128, 4) add(const float* a, const float* b, float* out, int64_t n) {
    const int64_t first = ((int64_t)blockIdx.x * kPer) * blockDim.x + threadIdx.x;
#pragma unroll
    for (int e = 0; e < kPer; ++e) {
        if (const int64_t i = first + (int64_t)e * blockDim.x; i < n) out[i] = a[i] + b[i];
    }
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3((unsigned)((n + 511) / 512));
    config.blockDim = dim3(128);
    config.stream = stream;
    return cudaLaunchKernelEx(&config, add<4>, a, b, out, n);
}
