// The two halves of a warp use different masks that name each other.
// n: 32
__global__ void k(const float* in, float* out) {
    int t = threadIdx.x;
    float v = in[t];
    if (t < 16) v = __shfl_sync(0xffffffffu, v, 0);  // <- mismatched-mask
    else v = __shfl_sync(0xffff00ffu, v, 0);
    out[t] = v;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 32>>>(x, y);
    return cudaGetLastError();
}
