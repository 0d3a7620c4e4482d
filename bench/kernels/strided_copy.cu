// strided_copy: the elements of x in another order, 8 apart for neighbouring threads.
//
// Look: onekernel trace bench/kernels/strided_copy.cu --shape 4096
//
// The idea: each lane's 4 bytes lie in a sector of their own. A request moves 32 sectors where 4 would do. Eight threads that are n / 8
// apart share a sector; whether the caches still hold it when the last of them asks is another matter.
//
// Ledger: reads 1, writes 1
// But: n is a multiple of 8.

#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kThreads = 256;
constexpr int64_t kStride = 8;   // elements between the loads of neighbouring threads: one sector

__global__ void strided_copy_kernel(const float* x, float* y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * kThreads + threadIdx.x;
    if (i < n) y[i] = x[i % (n / kStride) * kStride + i / (n / kStride)];
}

extern "C" cudaError_t strided_copy(const float* x, float* y, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    strided_copy_kernel<<<(unsigned)((n + kThreads - 1) / kThreads), kThreads, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}
