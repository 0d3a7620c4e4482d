// A stride of 2 words in shared memory: lanes t and t + 16 share a bank, 2 wavefronts.
// n: 64
// Result: np.concatenate([x[:32], x[:32]])
__global__ void k(const float* in, float* out) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[2 * t] = in[t];  // = shared_store_wavefronts 2, shared_store_conflicts 1
    __syncwarp();
    out[t] = s[2 * t];  // = shared_load_wavefronts 2, shared_load_conflicts 1
    out[t + 32] = s[2 * t];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 32>>>(x, y);
    return cudaGetLastError();
}
