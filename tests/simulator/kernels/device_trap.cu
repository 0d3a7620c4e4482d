// The kernel ends itself.
// n: 32
// status: cudaErrorLaunchFailure
__global__ void k(const float* in, float* out) {
    if (in[threadIdx.x] > 0.0f) __trap();  // <- trap
    out[threadIdx.x] = in[threadIdx.x];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 32>>>(x, y);
    return cudaGetLastError();
}
