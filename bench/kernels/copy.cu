// copy: y[i] = x[i], neighbouring threads on neighbouring elements.
//
// Look: onekernel trace bench/kernels/copy.cu --shape 4096
//
// The idea: a warp's 32 loads of 4 bytes are 128 bytes in a row: 4 sectors of 32 bytes, every byte of them used.
//
// Ledger: reads 1, writes 1
// But: nothing to gain from fewer sectors; wider loads would need fewer requests.

#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kThreads = 256;

__global__ void copy_kernel(const float* x, float* y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * kThreads + threadIdx.x;
    if (i < n) y[i] = x[i];
}

extern "C" cudaError_t copy(const float* x, float* y, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    copy_kernel<<<(unsigned)((n + kThreads - 1) / kThreads), kThreads, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}
