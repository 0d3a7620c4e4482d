// A launcher that ends without return: the error code is what a register happens to hold.
// n: 64
// status: cudaErrorLaunchFailure
// Result: x
__global__ void k(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x]; }

extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {  // <- missing-return
    if (n == 0) return cudaSuccess;
    k<<<1, 64, 0, stream>>>(x, y);
}
