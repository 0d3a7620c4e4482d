// A thread's own array that is written beyond its end by a pointer, which tells no extent, over the way back out of the kernel.
// n: 64
// status: cudaErrorIllegalAddress
__global__ void k(const float* in, float* out, int n) {
    float kept[8], *to = kept;
    for (int i = 0; i < 24; i++) to[i] = in[i];
    out[threadIdx.x] = kept[threadIdx.x % 8];
}  // <- crash
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    k<<<1, 64>>>(x, y, (int)n);
    return cudaGetLastError();
}
