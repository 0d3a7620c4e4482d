// A kernel is given an array of the host: the launch ends before the access, and is told where it is made.
// status: cudaErrorIllegalAddress
// n: 32
__global__ void k(const float* in, const float* factor, float* out) {
    out[threadIdx.x] = in[threadIdx.x] * factor[0];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    float factor[1] = {2.0f};
    k<<<1, 32>>>(x, factor, y);  // <- host-pointer
    return cudaGetLastError();
}
