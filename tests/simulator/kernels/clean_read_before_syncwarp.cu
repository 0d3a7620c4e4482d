// Lanes read their neighbours' elements, and overwrite them behind __syncwarp.
// n: 64
// Result: np.concatenate([np.roll(x[:32], -1), np.roll(x[32:], -1)])
__global__ void k(float* y) {
    const int t = threadIdx.x, neighbour = t / 32 * 32 + (t + 1) % 32;
    const float next = y[neighbour];
    __syncwarp();
    y[t] = next;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    cudaMemcpyAsync(y, x, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    k<<<1, 64, 0, stream>>>(y);
    return cudaGetLastError();
}
