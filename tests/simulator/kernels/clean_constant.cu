// Constant and global variables of the module, filled by the host.
// n: 4
// Result: x * np.array([2, 3, 4, 5], np.float32) + 1
__constant__ float factors[4];
__device__ float offsets[4];
static __device__ int calls = 0;
__global__ void k(const float* in, float* out) {
    int t = threadIdx.x;
    out[t] = in[t] * factors[t] + offsets[t];
    if (t == 0) calls++;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    const float host[4] = {2, 3, 4, 5}, ones[4] = {1, 1, 1, 1};
    cudaMemcpyToSymbol(factors, host, sizeof host);
    cudaMemcpyToSymbol(offsets, ones, sizeof ones);
    k<<<1, 4>>>(x, y);
    int seen = 0;
    cudaMemcpyFromSymbol(&seen, calls, sizeof seen);
    return seen >= 1 ? cudaGetLastError() : cudaErrorUnknown;
}
