// A ticket lock: threads are served in the order in which they came, and every thread of a warp takes its turn.
// n: 256
// Result: np.full(n, blocks(x))
struct Lock {
    unsigned next, serving;
};
__global__ void k(const float* x, float* total, Lock* lock) {
    if (threadIdx.x % 32 != 0) return;
    const int first = blockIdx.x * blockDim.x + threadIdx.x;
    float part = 0.0f;
    for (int i = 0; i < 32; i++) part += x[first + i];
    const unsigned ticket = atomicAdd(&lock->next, 1u);
    while (atomicAdd(&lock->serving, 0u) != ticket) {}
    __threadfence();
    *total = *total + part;
    __threadfence();
    atomicAdd(&lock->serving, 1u);
}
__global__ void spread(const float* total, float* y) { y[blockIdx.x * blockDim.x + threadIdx.x] = *total; }
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    float* total;
    Lock* lock;
    cudaMalloc(&total, sizeof(float));
    cudaMalloc(&lock, sizeof(Lock));
    cudaMemset(total, 0, sizeof(float));
    cudaMemset(lock, 0, sizeof(Lock));
    k<<<n / 64, 64>>>(x, total, lock);
    spread<<<n / 64, 64>>>(total, y);
    cudaFree(total);
    cudaFree(lock);
    return cudaGetLastError();
}
