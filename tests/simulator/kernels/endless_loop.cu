// The condition never becomes false.
// n: 64
// status: cudaErrorLaunchTimeout
__global__ void k(const float* in, float* out, int64_t n) {
    for (int64_t i = threadIdx.x; i < n;) out[i] = in[i];  // <- time-limit
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    k<<<1, 64>>>(x, y, n);
    return cudaGetLastError();
}
