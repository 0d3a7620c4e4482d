// An inclusive scan in two buffers: each step reads one and writes the other, one barrier a step.
// n: 64
// Result: np.cumsum(np.ones(n))
__global__ void k(const float*, float* out) {
    __shared__ float s[2][64];
    int t = threadIdx.x, from = 0;
    s[0][t] = 1.0f;
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        s[1 - from][t] = s[from][t] + (t >= d ? s[from][t - d] : 0.0f);
        from = 1 - from;
        __syncthreads();
    }
    out[t] = s[from][t];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 64>>>(x, y);
    return cudaGetLastError();
}
