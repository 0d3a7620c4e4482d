// 64 KB declared: more than a block's arrays may take.
// n: 32
// status: cudaErrorInvalidValue
__global__ void k(const float* in, float* out) {
    __shared__ float s[16384];
    s[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = s[threadIdx.x];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 32>>>(x, y);  // <- bad-launch
    return cudaGetLastError();
}
