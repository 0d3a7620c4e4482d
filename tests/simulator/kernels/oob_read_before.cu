// A stencil reads its left neighbour also where there is none.
// n: 256
__global__ void left(const float* in, float* out, int64_t n) {
    int64_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i - 1];  // <- out-of-bounds-read x
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    left<<<1, 256, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}
