// The same pointer released a second time.
// n: 32
// Result: x
__global__ void k(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x]; }
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    float* work = nullptr;
    cudaMalloc(&work, 128);
    cudaFree(work);
    cudaFree(work);  // <- bad-free
    cudaGetLastError();
    k<<<1, 32>>>(x, y);
    return cudaGetLastError();
}
