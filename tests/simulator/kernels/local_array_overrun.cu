// A thread's own array that is written beyond its end.
// n: 64
// status: cudaErrorIllegalAddress
__global__ void k(const float* in, float* out, int n) {
    float kept[8];
    for (int i = 0; i < n; i++) kept[i] = in[i];  // <- array-bounds
    out[threadIdx.x] = kept[threadIdx.x % 8];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    k<<<1, 64>>>(x, y, (int)n);
    return cudaGetLastError();
}
