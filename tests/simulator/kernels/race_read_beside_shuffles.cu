// One warp reads what the other overwrites; both shuffle meanwhile, which orders nothing between them.
// n: 64
__global__ void k(float* y) {
    const int t = threadIdx.x;
    float mine = t < 32 ? y[32 + t] : 1.0f;
    for (int i = 0; i < 4; i++) mine += __shfl_xor_sync(~0u, mine, 1);
    y[t] = mine;  // <- race-global y
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    cudaMemcpyAsync(y, x, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    k<<<1, 64, 0, stream>>>(y);
    return cudaGetLastError();
}
