// The last 32 elements by one warp, with __syncwarp between reading and writing.
// n: 64
// Result: np.full_like(x, tree(x))
__global__ void k(const float* in, float* out) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 32) {
        for (int half = 32; half > 0; half /= 2) {
            float v = t < half ? s[t] + s[t + half] : 0.0f;
            __syncwarp();
            if (t < half) s[t] = v;
            __syncwarp();
        }
    }
    __syncthreads();
    out[t] = s[0];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 64>>>(x, y);
    return cudaGetLastError();
}
