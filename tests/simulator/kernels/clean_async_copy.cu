// cp.async into shared memory: 16 bytes a lane read and stored, then a barrier before the neighbours' part is read.
// n: 128
// Result: x[::-1]
// Total: load_requests 1, load_sectors 16, store_requests 4, store_sectors 16, barriers 1
#include <cuda_pipeline.h>

__global__ void k(const float* in, float* out) {
    __shared__ alignas(16) float tile[128];
    __pipeline_memcpy_async(tile + 4 * threadIdx.x, in + 4 * threadIdx.x, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int i = threadIdx.x; i < 128; i += 32) out[i] = tile[127 - i];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 32>>>(x, y);
    return cudaGetLastError();
}
