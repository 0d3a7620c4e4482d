// A template for both sides that stops whoever calls it, called by the launcher.
// n: 32
// status: cudaErrorLaunchFailure
template <int>
__host__ __device__ void stop() {
    __trap();  // <- trap
}

extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    stop<0>();
    return cudaSuccess;
}
