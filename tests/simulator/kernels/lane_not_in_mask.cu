// The mask leaves out lanes that call.
// n: 32
__global__ void k(const float* in, float* out) {
    int t = threadIdx.x;
    out[t] = in[t] + __shfl_xor_sync(0x0000ffffu, in[t], 1);  // <- lane-outside-mask, absent-lane
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 32>>>(x, y);
    return cudaGetLastError();
}
