// An index computed from a value that is far too large.
// n: 64
// status: cudaErrorIllegalAddress
__global__ void k(const float* in, float* out, int64_t far) {
    out[threadIdx.x] = in[far];  // <- crash
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    k<<<1, 64>>>(x, y, n << 40);
    return cudaGetLastError();
}
