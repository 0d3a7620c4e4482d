// A pipeline of two stages that waits for one and reads the other, too.
// n: 64
#include <cuda/pipeline>

__global__ void k(const float* in, float* out, int64_t n) {
    __shared__ float tile[64];
    const int t = threadIdx.x;
    auto pipe = cuda::make_pipeline();
    for (int s = 0; s < 2; s++) {
        pipe.producer_acquire();
        cuda::memcpy_async(tile + 32 * s + t, in + 32 * s + t, sizeof(float), pipe);
        pipe.producer_commit();
    }
    pipe.consumer_wait();
    __syncthreads();
    out[t] = tile[31 - t];
    out[32 + t] = tile[63 - t];  // <- missing-wait tile
    pipe.consumer_release();
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}
