// The last 32 elements without __syncwarp, as before Volta: volatile does not order lanes.
// n: 64
__global__ void k(const float* in, float* out) {
    __shared__ volatile float s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 32) {
        s[t] = s[t] + s[t + 32];  // <- race-shared s
        s[t] = s[t] + s[t + 16];
        s[t] = s[t] + s[t + 8];
    }
    __syncthreads();
    out[t] = s[t];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 64>>>(x, y);
    return cudaGetLastError();
}
