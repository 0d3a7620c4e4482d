// 64 KB of shared memory without cudaFuncSetAttribute.
// n: 64
// status: cudaErrorInvalidValue
__global__ void k(const float* in, float* out) {
    extern __shared__ float s[];
    s[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = s[threadIdx.x];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 64, 64 * 1024>>>(x, y);  // <- bad-launch
    return cudaGetLastError();
}
