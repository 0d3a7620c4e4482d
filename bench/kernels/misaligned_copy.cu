// misaligned_copy: y[i] = x[i + 1], the last element y[n - 1] = x[0].
//
// Look: onekernel trace bench/kernels/misaligned_copy.cu --shape 4096
//
// The idea: neighbours again, but a warp's 128 bytes begin 4 bytes behind the start of a sector: they touch 5 sectors, not 4.
//
// Ledger: reads 1, writes 1
// But: the fifth sector is the next warp's first, and often still in a cache: DRAM hardly notices what the load path has to do.

#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kThreads = 256;

__global__ void misaligned_copy_kernel(const float* x, float* y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * kThreads + threadIdx.x;
    if (i < n) y[i] = x[i + 1 < n ? i + 1 : 0];
}

extern "C" cudaError_t misaligned_copy(const float* x, float* y, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    misaligned_copy_kernel<<<(unsigned)((n + kThreads - 1) / kThreads), kThreads, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}
