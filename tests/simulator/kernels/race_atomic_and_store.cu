// The bins are set to zero by some threads while others count already.
// n: 256
__global__ void k(const float* in, float* out) {
    __shared__ int bins[16];
    int t = threadIdx.x;
    if (t >= 240) bins[t - 240] = 0;  // <- race-shared bins
    atomicAdd(&bins[(int)((in[t] - 1.0f) * 16.0f)], 1);
    __syncthreads();
    if (t < 16) out[t] = bins[t];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 256>>>(x, y);
    return cudaGetLastError();
}
