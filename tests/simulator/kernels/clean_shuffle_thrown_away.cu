// Lanes that have returned, that the mask does not name, or that the block does not have are asked, and nothing depends on what
// comes: a condition throws it away, only another lane takes it, or it is a branch that nobody takes.
// n: 20
// Result: np.concatenate([[x.min(), x[:16].max(), x.max()], x[3:]])
__global__ void by_condition(const float* in, float* out, int64_t n) {
    int t = threadIdx.x;
    if (t >= n) return;
    float v = in[t];
    for (int d = 16; d > 0; d /= 2) {
        float other = __shfl_down_sync(0xffffffffu, v, d);
        if (t + d < n) v = fminf(v, other);
    }
    out[t] = t ? in[t] : v;
}
__global__ void by_half(const float* in, float* out) {
    int t = threadIdx.x;
    if (t >= 16) return;
    float v = in[t];
    for (int d = 8; d > 0; d /= 2) v = fmaxf(v, __shfl_down_sync(0x0000ffffu, v, d));  // lane 8 takes what lane 16 does not bring
    if (t == 0) out[1] = v;
}
__global__ void by_small_block(const float* in, float* out, int n) {
    int t = threadIdx.x;
    double v = in[t];
    for (int d = 1; d < 32; d *= 2) {
        double other = __shfl_xor_sync(0xffffffffu, v, d);
        v = (t ^ d) < n && other > v ? other : v;
    }
    int none = __shfl_sync(0xffffffffu, t, 31);
    if (none == t && t > 32) v = 0;
    if (t == 0) out[2] = v;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    by_condition<<<1, 32>>>(x, y, n);
    by_half<<<1, 32>>>(x, y);
    by_small_block<<<1, 20>>>(x, y, 20);
    return cudaGetLastError();
}
