// The work buffer is released before the kernel that uses it.
// n: 32
__global__ void k(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x]; }  // <- use-after-free
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    float* work;
    cudaMalloc(&work, n * sizeof(float));
    cudaMemcpy(work, x, n * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaFree(work);
    k<<<1, 32>>>(work, y);
    return cudaGetLastError();
}
