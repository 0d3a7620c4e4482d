// A butterfly over each warp.
// n: 64
// Result: np.repeat([butterfly(x[:32]), butterfly(x[32:])], 32)
__global__ void k(const float* in, float* out) {
    int t = threadIdx.x;
    float v = in[t];
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
    out[t] = v;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 64>>>(x, y);
    return cudaGetLastError();
}
