// Threads without work return before the block's barrier.
// n: 50
__global__ void k(const float* in, float* out, int64_t n) {
    __shared__ float s[64];
    int t = threadIdx.x;
    if (t >= n) return;
    s[t] = in[t];
    __syncthreads();  // <- divergent-barrier
    out[t] = s[n - 1 - t];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    k<<<1, 64>>>(x, y, n);
    return cudaGetLastError();
}
