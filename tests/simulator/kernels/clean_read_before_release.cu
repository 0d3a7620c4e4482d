// Each thread of a block reads, then releases by itself; a block that has seen all of them writes.
// n: 64
// Result: x + np.float32(1)
__global__ void k(float* y, float* keep, int* flags) {
    const int t = threadIdx.x;
    if (blockIdx.x == 0) {
        keep[t] = y[t];
        __threadfence();
        atomicExch(&flags[t], 1);
    } else {
        while (atomicAdd(&flags[t], 0) == 0) {}
        __threadfence();
        y[t] = keep[t] + 1.0f;
    }
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    cudaMemcpyAsync(y, x, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    float* keep;
    int* flags;
    cudaMalloc(&keep, n * sizeof(float));
    cudaMalloc(&flags, n * sizeof(int));
    cudaMemsetAsync(flags, 0, n * sizeof(int), stream);
    k<<<2, 64, 0, stream>>>(y, keep, flags);
    cudaFree(keep);
    cudaFree(flags);
    return cudaGetLastError();
}
