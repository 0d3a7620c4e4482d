// Host code may call its variables gridDim and blockDim; kernels still see their own.
// n: 100
// Result: x
__global__ void k(const float* in, float* out, int64_t n) {
    dim3 mine = blockDim;
    unsigned i = blockIdx.x * mine.x + threadIdx.x;
    if (i < n && gridDim.x == 4) out[i] = in[i];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    dim3 blockDim(32);
    dim3 gridDim((n + blockDim.x - 1) / blockDim.x);
    k<<<gridDim, blockDim>>>(x, y, n);
    return cudaGetLastError();
}
