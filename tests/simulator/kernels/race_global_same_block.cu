// Neighbours in global memory, within one block, with no barrier.
// n: 64
__global__ void k(const float* in, float* out, float* work) {
    int t = threadIdx.x;
    work[t] = in[t];  // <- race-global work
    out[t] = work[(t + 1) % 64];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    float* work;
    cudaMalloc(&work, n * sizeof(float));
    k<<<1, 64>>>(x, y, work);
    cudaFree(work);
    return cudaGetLastError();
}
