// dot_product: out[0] = a[0]*b[0] + a[1]*b[1] + ... + a[n-1]*b[n-1], for any block size.
//
// Check: onekernel check dot_product
// Bench: none: the course times its softmax
//
// The idea: threads of a block can add up what each of them has found. They put their sums into shared memory, and a tree halves the
// number of sums at each level, with a barrier between levels. Blocks cannot wait for one another: each writes its sum to memory,
// and a second launch adds those up with the same tree. The order of the additions depends on n alone, so the result repeats bit for bit.
//
// The ledger counts per product a[i]*b[i]: beside them the one output, and the few partial sums, come to nothing.
// Ledger: reads 2, writes 0
// But: at each level of the tree half of the remaining threads have nothing to do, and all of them wait at the barrier.

#include <cuda_runtime.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 256   // any number of threads from 1 to 1024: build with -DBLOCK=96 to try another
#endif
constexpr int kThreads = BLOCK;
constexpr int kProductsPerThread = 32;   // enough work for a thread to hide the cost of its block's tree
constexpr int64_t kMostBlocks = 1024;    // so that one block can add up the partial sums

// The sum of `mine` over the block, in thread 0. All threads of the block must call it.
__device__ float block_sum(float mine) {
    __shared__ float sums[kThreads];
    const int t = threadIdx.x;
    // <gap>
    //| // TODO: put each thread's sum into sums[t]. Then, level by level, let thread t add sums[t + half] to sums[t], with __syncthreads()
    //| // between levels. Where must the barriers stand? What happens to the odd one out when the number of sums is odd?
    //| sums[t] = mine;
    sums[t] = mine;
    __syncthreads();
    for (int left = kThreads; left > 1; left = (left + 1) / 2) {
        const int half = (left + 1) / 2;   // rounded up: with 5 sums left, thread 0 takes 3, thread 1 takes 4, and sum 2 waits
        if (t + half < left) {
            sums[t] += sums[t + half];
        }
        __syncthreads();   // outside the if: every thread must reach it
    }
    // </gap>
    return sums[0];
}

__global__ void dot_kernel(const float* a, const float* b, float* partial, int64_t n) {
    float mine = 0.0f;
    // <gap>
    //| // TODO: add up this thread's share of the products. Neighbouring threads should read neighbouring elements.
    //| (void)a; (void)b; (void)n;
    const int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = first; i < n; i += step) {
        mine += a[i] * b[i];
    }
    // </gap>
    const float sum = block_sum(mine);
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

__global__ void sum_kernel(const float* partial, float* out, int count) {
    float mine = 0.0f;
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        mine += partial[i];
    }
    const float sum = block_sum(mine);
    if (threadIdx.x == 0) out[0] = sum;
}

extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    const int64_t share = (int64_t)kThreads * kProductsPerThread;
    int64_t blocks = n > 0 ? (n + share - 1) / share : 1;   // n = 0 too has a sum, 0, and someone must write it
    if (blocks > kMostBlocks) blocks = kMostBlocks;
    if (blocks == 1) {   // its partial sum is the result
        dot_kernel<<<1, kThreads, 0, stream>>>(a, b, out, n);
        return cudaGetLastError();
    }
    float* partial = nullptr;   // allocated in the stream's own order: no waiting, and safe beside other streams
    cudaError_t error = cudaMallocAsync((void**)&partial, blocks * sizeof(float), stream);
    if (error != cudaSuccess) return error;
    dot_kernel<<<(unsigned)blocks, kThreads, 0, stream>>>(a, b, partial, n);
    error = cudaGetLastError();
    if (error == cudaSuccess) {
        sum_kernel<<<1, kThreads, 0, stream>>>(partial, out, (int)blocks);
        error = cudaGetLastError();
    }
    const cudaError_t freed = cudaFreeAsync(partial, stream);
    return error != cudaSuccess ? error : freed;
}
