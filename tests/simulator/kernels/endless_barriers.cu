// A loop that waits at a barrier in every turn and never ends.
// n: 64
// status: cudaErrorLaunchTimeout
__global__ void forever(const float* x, float* y, int64_t n) {
    y[threadIdx.x] = x[threadIdx.x];
    for (;;) __syncthreads();  // <- time-limit
}

extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    forever<<<1, 64, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}
