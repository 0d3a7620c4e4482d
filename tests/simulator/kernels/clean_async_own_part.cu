// Each lane reads its own copies alone: a wait without a barrier suffices. Then the tile is filled by plain stores.
// n: 64
// Result: np.concatenate([x[:32], x[:32] + x[32:]])
#include <cuda_pipeline.h>

__global__ void k(const float* in, float* out, int64_t) {
    __shared__ float tile[64];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(tile + t, in + t, 4);
    __pipeline_commit();
    __pipeline_memcpy_async(tile + 32 + t, in + 32 + t, 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    out[t] = tile[t];
    __pipeline_wait_prior(0);
    tile[32 + t] += tile[t];
    __syncthreads();
    out[32 + t] = tile[32 + t];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}
