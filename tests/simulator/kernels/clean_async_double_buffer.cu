// Double buffering: the next tile is on its way while this one is used; an empty batch keeps the count at the end.
// n: 128
// Result: x.reshape(4, 32)[:, ::-1].ravel()
#include <cuda_pipeline.h>

__global__ void k(const float* in, float* out, int64_t n) {
    __shared__ float tile[2][32];
    const int t = threadIdx.x, steps = n / 32;
    __pipeline_memcpy_async(&tile[0][t], in + t, 4);
    __pipeline_commit();
    for (int s = 0; s < steps; s++) {
        if (s + 1 < steps) __pipeline_memcpy_async(&tile[(s + 1) % 2][t], in + (s + 1) * 32 + t, 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        out[s * 32 + t] = tile[s % 2][31 - t];
        __syncthreads();
    }
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}
