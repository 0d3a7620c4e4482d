// Lane 0 waits for all, or so its author thinks: it can wait for its own copy alone.
// n: 32
#include <cuda_pipeline.h>

__global__ void k(const float* in, float* out, int64_t) {
    __shared__ float tile[32];
    __pipeline_memcpy_async(tile + threadIdx.x, in + threadIdx.x, 4);
    __pipeline_commit();
    if (threadIdx.x == 0) __pipeline_wait_prior(0);
    __syncthreads();
    out[threadIdx.x] = tile[31 - threadIdx.x];  // <- missing-wait tile
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}
