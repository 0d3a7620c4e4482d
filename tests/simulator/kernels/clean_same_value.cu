// Many threads store the same value: which comes last makes no difference.
// n: 64
// Result: np.where(np.arange(n) == 0, np.float32(1), x)
__global__ void k(const float* in, float* out) {
    int t = threadIdx.x;
    if (t) out[t] = in[t];
    if (in[t] == in[t]) out[0] = 1.0f;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 64>>>(x, y);
    return cudaGetLastError();
}
