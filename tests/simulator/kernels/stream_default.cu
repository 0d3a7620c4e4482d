// The stream is not passed on: the kernel goes to the default one, which a non-blocking stream does not wait for.
// n: 100
// stream: side
// Result: x + 1
__global__ void k(const float* in, float* out, int64_t n) {
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + 1;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    k<<<4, 32>>>(x, y, n);  // <- wrong-stream
    return cudaGetLastError();
}
