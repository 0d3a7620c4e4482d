// All read an element, then one thread alone again behind a barrier, while another overwrites it.
// n: 64
__global__ void k(float* y) {
    const int t = threadIdx.x;
    float mine = y[7];
    __syncthreads();
    if (t == 3) mine += y[7];
    if (t == 40) y[7] = 2.0f;  // <- race-global y
    if (t == 3) y[3] = mine;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    cudaMemcpyAsync(y, x, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    k<<<1, 64, 0, stream>>>(y);
    return cudaGetLastError();
}
