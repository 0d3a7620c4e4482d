// One path through a device function has no return, and thread 63 takes it.
// n: 64
// status: cudaErrorLaunchFailure
__device__ float halve(float v, int t) {  // <- missing-return
    if (t < 63) return v / 2;
}
__global__ void k(const float* in, float* out) { out[threadIdx.x] = halve(in[threadIdx.x], threadIdx.x); }

extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    k<<<1, 64, 0, stream>>>(x, y);
    return cudaGetLastError();
}
