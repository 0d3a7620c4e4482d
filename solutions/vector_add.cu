// vector_add: out[i] = a[i] + b[i], one thread for each element.
//
// Check: onekernel check vector_add
// Bench: none: it is one pass over memory, as fast as a copy; the benches are of softmax
//
// The idea: a GPU function (a kernel) describes the work of one thread. The launch starts a grid of blocks of threads, and each thread
// computes from its block's number and its own number which element is its own.
//
// Ledger: reads 2, writes 1
// But: one addition for three memory accesses. The memory is the limit here, whatever the arithmetic units could do.

#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kThreads = 256;                 // threads in a block: a multiple of 32, the size of a warp
constexpr int64_t kMostBlocks = 2147483647;   // the largest gridDim.x

__global__ void vector_add_kernel(const float* a, const float* b, float* out, int64_t n) {
    // <gap>
    //| // TODO: compute this thread's index i from blockIdx.x, blockDim.x and threadIdx.x, then write out[i] = a[i] + b[i].
    //| // The last block has threads beyond the end of the arrays: they must neither read nor write.
    //| (void)a; (void)b; (void)out; (void)n;
    // blockIdx.x and blockDim.x have 32 bits: widen before multiplying, or element 2^32 becomes element 0.
    const int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    // One turn as long as a grid can cover n. Beyond that each thread goes on, one whole grid further.
    for (int64_t i = first; i < n; i += step) {
        out[i] = a[i] + b[i];
    }
    // </gap>
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;   // a grid of zero blocks is an error, and there is nothing to do
    // <gap>
    //| // TODO: how many blocks of kThreads threads does it take to give each of the n elements a thread? A grid has kMostBlocks at most.
    //| const int64_t blocks = 1;
    int64_t blocks = (n + kThreads - 1) / kThreads;   // n / kThreads, rounded up
    if (blocks > kMostBlocks) blocks = kMostBlocks;
    // </gap>
    vector_add_kernel<<<(unsigned)blocks, kThreads, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();   // was the launch accepted? The kernel itself may still be running
}
