// A member array that is followed by other members: its fifth element would be one of those.
// n: 64
// status: cudaErrorIllegalAddress
struct Best {
    float value[4];
    float sum;
};
__global__ void k(const float* in, float* out, int n) {
    Best best{};
    for (int i = 0; i < n; i++) best.value[i] = in[i];  // <- array-bounds best.value
    out[threadIdx.x] = best.value[0] + best.sum;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 64>>>(x, y, 5);
    return cudaGetLastError();
}
