// Sixteen blocks make no cluster that every card of 9.0 can hold, unless the kernel says that it wants it.
// n: 32
// arch: sm_90
// status: cudaErrorInvalidClusterSize
__global__ void __cluster_dims__(16, 1, 1) k(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x]; }
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t stream) {
    k<<<16, 32, 0, stream>>>(x, y);  // <- bad-launch
    return cudaGetLastError();
}
