// Adds to an output that nobody has set.
// n: 64
__global__ void k(const float* in, float* out) {
    int t = threadIdx.x;
    out[t] += in[t];  // <- uninitialised-read y
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 64>>>(x, y);
    return cudaGetLastError();
}
