// Called with the default stream: an ordinary stream waits for it and is waited for, without a word.
// n: 64
// Result: x + 1
__global__ void k(const float* in, float* out, int64_t n) {
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + 1;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    cudaStream_t own;
    cudaStreamCreate(&own);
    k<<<2, 32, 0, own>>>(x, y, n);
    cudaStreamDestroy(own);
    k<<<2, 32, 0, cudaStreamLegacy>>>(x, y, n);
    k<<<2, 32, 0, cudaStreamPerThread>>>(x, y, n);
    return cudaGetLastError();
}
