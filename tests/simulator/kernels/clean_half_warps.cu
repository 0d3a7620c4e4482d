// The halves of a warp shuffle apart, in different branches, with their own masks.
// n: 32
// Result: np.concatenate([np.full(16, x[0]), np.full(16, x[31])])
__global__ void k(const float* in, float* out) {
    int t = threadIdx.x;
    float v = in[t];
    if (t < 16) v = __shfl_sync(0x0000ffffu, v, 0);
    else v = __shfl_sync(0xffff0000u, v, 31);
    out[t] = v;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 32>>>(x, y);
    return cudaGetLastError();
}
