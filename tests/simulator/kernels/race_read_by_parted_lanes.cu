// Two thirds of the lanes read, each third at a place of its own; all overwrite, with no barrier between.
// n: 126
__global__ void k(float* y) {
    const int t = threadIdx.x;
    float mine = 0.0f;
    if (t % 3 == 0) mine = y[t + 1];
    else if (t % 3 == 1) mine = y[(t + 64) % 126];
    y[t] = mine;  // <- race-global y
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    cudaMemcpyAsync(y, x, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    k<<<1, 126, 0, stream>>>(y);
    return cudaGetLastError();
}
