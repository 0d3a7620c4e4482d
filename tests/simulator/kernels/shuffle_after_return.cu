// The upper lanes of the warp have returned when the lower ones ask for their values.
// n: 20
__global__ void k(const float* in, float* out, int64_t n) {
    int t = threadIdx.x;
    if (t >= n) return;
    float v = in[t];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);  // <- absent-lane
    out[t] = v;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    k<<<1, 32>>>(x, y, n);
    return cudaGetLastError();
}
