// Four threads share a word, each with a byte of its own.
// n: 64
// Result: (np.arange(n) % 256).astype(np.float32)
__global__ void k(const float*, float* out) {
    __shared__ unsigned char bytes[64];
    int t = threadIdx.x;
    bytes[t] = t;
    __syncwarp();
    out[t] = bytes[t];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 64>>>(x, y);
    return cudaGetLastError();
}
