// divergent: even lanes square x, odd lanes negate it, each from its own line.
//
// Look: onekernel trace bench/kernels/divergent.cu --shape 4096
//
// The idea: the two sides of a branch are two requests of 16 lanes each. Each touches all 4 sectors and uses half of their bytes.
//
// Ledger: reads 1, writes 1
// But: of two equal loads the compiler would make one, before the branch. __ldcg (a load that passes L1 by) keeps them apart.

#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kThreads = 256;

__global__ void divergent_kernel(const float* x, float* y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * kThreads + threadIdx.x;
    if (i >= n) return;
    float value;
    if (threadIdx.x % 2 == 0) {
        value = x[i] * x[i];
    } else {
        value = -__ldcg(x + i);
    }
    y[i] = value;
}

extern "C" cudaError_t divergent(const float* x, float* y, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    divergent_kernel<<<(unsigned)((n + kThreads - 1) / kThreads), kThreads, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}
