// Each lane reads what it has asked for itself, but nobody has waited.
// n: 128
#include <cuda_pipeline.h>

__global__ void k(const float* in, float* out, int64_t) {
    __shared__ alignas(16) float tile[128];
    __pipeline_memcpy_async(tile + 4 * threadIdx.x, in + 4 * threadIdx.x, 16);
    __pipeline_commit();
    for (int i = 0; i < 4; i++) out[4 * threadIdx.x + i] = tile[4 * threadIdx.x + i];  // <- missing-wait tile
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}
