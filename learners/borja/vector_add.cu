// vector_add: out[i] = a[i] + b[i]. Borja's version, lab 00.
//
// Check: onekernel check vector_add
//
// What I learnt: I do not write the loop. I write the body of the loop, and the launch gives every i to a thread of its own.
// In Python: for i in range(n): out[i] = a[i] + b[i]. Here the "for" is the <<<blocks, threads>>>.
//
// Ledger: reads 2, writes 1

#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kThreads = 128;   // four warps. I tried 100 too: it works, but the last warp of each block has 28 idle lanes

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    // 64 bits *before* the product: blockIdx.x * blockDim.x is a product of two unsigned ints and wraps around at 2^32
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    // My first version had no "if" and wrote past the end: n is hardly ever a multiple of 128.
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;   // zero blocks would be cudaErrorInvalidConfiguration
    int64_t blocks = (n + kThreads - 1) / kThreads;   // round up; what math.ceil(n / 128) is in Python
    // A grid has at most 2^31 - 1 blocks. That is 2.7e11 elements of 128 threads: 1 TB for one of the vectors. No loop, then.
    add<<<(unsigned)blocks, kThreads, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
