// All threads of two blocks read an element that the second overwrites, behind a barrier of its own.
// n: 128
__global__ void k(float* y) {
    float mine = y[7];
    __syncthreads();
    if (blockIdx.x == 1) y[7] = 2.0f;  // <- race-global y
    if (threadIdx.x != 7 && blockIdx.x == 0) y[64 + threadIdx.x] = mine;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    cudaMemcpyAsync(y, x, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    k<<<2, 64, 0, stream>>>(y);
    return cudaGetLastError();
}
