// One warp reads and waits at the barrier while the other still shuffles, reads too, and writes behind the barrier.
// n: 64
// Result: x[::-1] + 0 * x
__global__ void k(float* y) {
    const int t = threadIdx.x;
    float mine = y[63 - t];
    if (t >= 32)
        for (int i = 0; i < 4; i++) mine = __shfl_xor_sync(~0u, mine, 1);
    __syncthreads();
    y[t] = mine;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    cudaMemcpyAsync(y, x, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    k<<<1, 64, 0, stream>>>(y);
    return cudaGetLastError();
}
