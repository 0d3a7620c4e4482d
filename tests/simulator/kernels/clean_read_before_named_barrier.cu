// One warp reads and arrives at a named barrier; the other waits there and overwrites what was read.
// n: 32
// arch: sm_90
// Result: x * 0 + np.float32(1)
__global__ void k(float* y, float* keep) {
    const int t = threadIdx.x;
    if (t < 32) {
        keep[t] = y[t];
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        y[t - 32] = 1.0f;
    }
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    cudaMemcpyAsync(y, x, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    float* keep;
    cudaMalloc(&keep, n * sizeof(float));
    k<<<1, 64, 0, stream>>>(y, keep);
    cudaFree(keep);
    return cudaGetLastError();
}
