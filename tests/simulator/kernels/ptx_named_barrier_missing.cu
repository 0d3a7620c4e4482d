// The two halves of the block meet each at a barrier of its own, and read across.
// n: 128
__global__ void k(const float* in, float* out, int64_t n) {
    __shared__ float tile[128];
    const int half = threadIdx.x / 64;
    tile[threadIdx.x] = in[threadIdx.x];  // <- race-shared tile
    asm volatile("barrier.cta.sync %0, 64;" ::"r"(1 + half) : "memory");
    out[threadIdx.x] = tile[127 - threadIdx.x];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    k<<<1, 128, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}
