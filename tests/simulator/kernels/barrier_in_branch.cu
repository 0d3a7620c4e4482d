// Half of the block passes by the barrier.
// n: 64
__global__ void k(const float* in, float* out) {
    int t = threadIdx.x;
    if (t < 32) {
        out[t] = in[t];
        __syncthreads();  // <- divergent-barrier
    }
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 64>>>(x, y);
    return cudaGetLastError();
}
