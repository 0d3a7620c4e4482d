// 48 KB of dynamic shared memory beside an array: CUDA refuses the launch, and nothing of it is stored.
// n: 64
// status: cudaErrorInvalidValue
__global__ void k(const float* in, float* out) {
    extern __shared__ float s[];
    __shared__ float t[64];
    s[threadIdx.x] = t[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = s[threadIdx.x];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 64, 48 * 1024>>>(x, y);  // <- bad-launch
    return cudaGetLastError();
}
