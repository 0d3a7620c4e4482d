// A pointer that was never allocated.
// n: 64
// status: cudaErrorIllegalAddress
__global__ void k(const float* in, float* out) {
    out[threadIdx.x] = in[threadIdx.x];  // <- crash
}
extern "C" cudaError_t run(const float*, float* y, int64_t, cudaStream_t) {
    k<<<1, 64>>>(nullptr, y);
    return cudaGetLastError();
}
