// A lock without fences: the next block may take it and still see the total as it was.
// n: 256
__global__ void k(const float* x, float* total, int* lock) {
    if (threadIdx.x != 0) return;
    float part = 0.0f;
    for (int i = 0; i < 32; i++) part += x[blockIdx.x * 32 + i];
    while (atomicCAS(lock, 0, 1) != 0) {}
    *total = *total + part;  // <- race-global total
    atomicExch(lock, 0);
}
__global__ void spread(const float* total, float* y) { y[blockIdx.x * blockDim.x + threadIdx.x] = *total; }
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    float* total;
    int* lock;
    cudaMalloc(&total, sizeof(float));
    cudaMalloc(&lock, sizeof(int));
    cudaMemset(total, 0, sizeof(float));
    cudaMemset(lock, 0, sizeof(int));
    k<<<n / 32, 32>>>(x, total, lock);
    spread<<<n / 32, 32>>>(total, y);
    cudaFree(total);
    cudaFree(lock);
    return cudaGetLastError();
}
