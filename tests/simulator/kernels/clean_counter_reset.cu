// The last block to come sets the counter back for the next launch: whoever counted has done so before it.
// n: 256
// Result: x + 1
__global__ void k(const float* x, float* y, unsigned* counter) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] + 1.0f;
    if (threadIdx.x == 0 && atomicAdd(counter, 1u) == gridDim.x - 1) *counter = 0;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    unsigned* counter;
    cudaMalloc(&counter, sizeof(unsigned));
    cudaMemset(counter, 0, sizeof(unsigned));
    k<<<n / 64, 64>>>(x, y, counter);
    k<<<n / 64, 64>>>(x, y, counter);
    cudaFree(counter);
    return cudaGetLastError();
}
