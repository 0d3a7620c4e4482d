// An integer division by a size that is zero.
// n: 32
// status: cudaErrorLaunchFailure
__global__ void k(const float* in, float* out, int groups) {
    out[threadIdx.x] = in[threadIdx.x % groups];  // <- crash
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 32>>>(x, y, 0);
    return cudaGetLastError();
}
