// A thread's own array that is written beyond its end, over the way back out of the kernel, by a pointer that tells no extent.
// n: 64
// status: cudaErrorIllegalAddress
__global__ void k(const float* in, float* out) {
    float kept[8], *to = kept;
    for (int i = 0; i < 24; i++) to[i] = in[i];
    out[threadIdx.x] = kept[threadIdx.x % 8];
}  // <- crash
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 64>>>(x, y);
    return cudaGetLastError();
}
