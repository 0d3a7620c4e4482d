// Block 0 sets the total to zero with a plain store while other blocks add to it already.
// n: 256
__global__ void k(const float* x, float* y, int* total) {
    if (blockIdx.x == 0 && threadIdx.x == 0) *total = 0;
    __syncthreads();
    atomicAdd(total, 1);  // <- race-global total
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    int* total;
    cudaMalloc(&total, sizeof(int));
    cudaMemset(total, 0, sizeof(int));
    k<<<n / 64, 64>>>(x, y, total);
    cudaFree(total);
    return cudaGetLastError();
}
