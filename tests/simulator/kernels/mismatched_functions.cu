// The halves of a warp call different functions with the same mask.
// n: 32
__global__ void k(const float* in, float* out) {
    int t = threadIdx.x;
    float v = in[t];
    if (t < 16) v = __shfl_sync(0xffffffffu, v, 0);  // <- mismatched-collective
    else v = __any_sync(0xffffffffu, v > 0.0f);
    out[t] = v;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 32>>>(x, y);
    return cudaGetLastError();
}
