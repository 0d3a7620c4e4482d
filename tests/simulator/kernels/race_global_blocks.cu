// Every block adds to the same element without an atomic.
// n: 256
__global__ void k(const float* in, float* out) {
    if (threadIdx.x == 0) out[0] = in[blockIdx.x];  // <- race-global y
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<4, 32>>>(x, y);
    return cudaGetLastError();
}
