// A recursion with no end.
// n: 64
// status: cudaErrorIllegalAddress
__device__ __noinline__ float deeper(const float* in, int i) {
    float local[256];  // far larger than what a call itself puts onto the stack: that would be line 4
    for (int k = 0; k < 64; k++) local[k] = in[k] + i;  // <- stack-overflow
    return deeper(in, i + 1) + local[i % 64];
}
__global__ void k(const float* in, float* out) { out[threadIdx.x] = deeper(in, 0); }
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 1>>>(x, y);
    return cudaGetLastError();
}
