// Each thread reads its neighbour's element and overwrites its own, with no barrier between.
// n: 128
__global__ void k(float* y) {
    const int t = threadIdx.x;
    const float next = y[(t + 1) % 128];
    y[t] = next;  // <- race-global y
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    cudaMemcpyAsync(y, x, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    k<<<1, 128, 0, stream>>>(y);
    return cudaGetLastError();
}
