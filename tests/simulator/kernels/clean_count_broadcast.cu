// All lanes read one address: one sector, and one wavefront in shared memory.
// n: 32
// Result: np.full_like(x, x[3] * 2)
__global__ void k(const float* in, float* out) {
    __shared__ float s[32];
    int t = threadIdx.x;
    float v = in[3];  // = load_requests 1, load_sectors 1
    s[t] = v;
    __syncwarp();
    out[t] = v + s[7];  // = shared_load_wavefronts 1, shared_load_conflicts 0
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 32>>>(x, y);
    return cudaGetLastError();
}
