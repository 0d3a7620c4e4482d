// The launcher reads device memory on the CPU.
// n: 64
// status: cudaErrorIllegalAddress
__global__ void k(float* out, float v) { out[threadIdx.x] = v; }
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    float first = x[0];  // <- host-touches-device x
    k<<<1, 64>>>(y, first);
    return cudaGetLastError();
}
