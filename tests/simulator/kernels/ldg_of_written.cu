// __ldg of elements that the kernel has written itself; of those that it has read before, and writes afterwards, it may.
// n: 32
__global__ void k(const float* in, float* out) {
    int t = threadIdx.x;
    float x = __ldg(&in[t]);
    out[t] = x;
    __syncthreads();
    out[t] = x + __ldg(&out[t]);  // <- written-read-only
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 32>>>(x, y);
    return cudaGetLastError();
}
