// n / 256 blocks where n is 100: no block at all.
// n: 100
// status: cudaErrorInvalidValue
__global__ void k(const float* in, float* out, int64_t n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) out[i] = in[i];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    k<<<n / 256, 256>>>(x, y, n);  // <- bad-launch
    return cudaGetLastError();
}
