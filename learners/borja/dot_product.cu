// dot_product: sum of a[i] * b[i]. Borja's version, lab 02.
//
// Check: onekernel check dot_product
//
// What I learnt: sum() has no order in my head, and on a GPU it must have one. First every thread alone, in a register, with no
// waiting; then the block, in shared memory, with a barrier after every step that somebody else reads from; then the blocks, for
// which there is no barrier at all, only the end of a kernel.
//
// n here is the number of products.
// Ledger: reads 2*n, writes 1

#include <cuda_runtime.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 256
#endif

// Adds up `mine` of all the threads of a block. Only thread 0 gets the right result. Everybody must call it.
__device__ float sum_of_block(float mine) {
    __shared__ float box[BLOCK];
    const int t = threadIdx.x;
    box[t] = mine;
    __syncthreads();
    // My first tree had "for (half = BLOCK / 2; ...)" and was wrong for BLOCK = 96: 96, 48, 24, 12, 6, 3 and then 3 / 2 = 1 forgets
    // box[2]. Rounding *up* keeps the odd one: of 3 live boxes the upper 1 is folded onto the lower 2.
    int live = BLOCK;
    while (live > 1) {
        const int keep = (live + 1) / 2;
        if (t < live - keep) box[t] += box[t + keep];
        __syncthreads();   // outside of the "if": all must arrive
        live = keep;
    }
    return box[0];
}

__global__ void products(const float* a, const float* b, float* partial, int64_t n) {
    const int64_t all = (int64_t)gridDim.x * BLOCK;
    float mine = 0.0f;
    // Neighbours read neighbours, then everybody jumps by the whole grid. A contiguous piece for each thread, as with
    // multiprocessing, would send the 32 lanes of a warp to 32 different sectors.
    for (int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x; i < n; i += all) mine += a[i] * b[i];
    const float sum = sum_of_block(mine);
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

__global__ void sum_up(const float* partial, float* out, int count) {
    float mine = 0.0f;
    for (int i = threadIdx.x; i < count; i += BLOCK) mine += partial[i];
    const float sum = sum_of_block(mine);
    if (threadIdx.x == 0) *out = sum;
}

extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    int64_t blocks = (n + (int64_t)BLOCK * 16 - 1) / ((int64_t)BLOCK * 16);   // some 16 products a thread
    if (blocks < 1) blocks = 1;       // n = 0 still has a sum: somebody must write the 0
    if (blocks > 512) blocks = 512;

    float* partial;
    cudaError_t bad = cudaMallocAsync((void**)&partial, blocks * sizeof(float), stream);
    if (bad != cudaSuccess) return bad;
    products<<<(unsigned)blocks, BLOCK, 0, stream>>>(a, b, partial, n);
    sum_up<<<1, BLOCK, 0, stream>>>(partial, out, (int)blocks);   // same stream, so it begins after the first has ended
    bad = cudaGetLastError();
    const cudaError_t freed = cudaFreeAsync(partial, stream);
    return bad != cudaSuccess ? bad : freed;
}
