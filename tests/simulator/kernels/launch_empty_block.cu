// A block size that was computed as 0.
// n: 32
// status: cudaErrorInvalidValue
__global__ void k(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x]; }
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    k<<<1, n / 64>>>(x, y);  // <- bad-launch
    return cudaGetLastError();
}
