// What was read four by four is overwritten one by one, with no barrier between.
// n: 128
__global__ void k(float* y) {
    const int t = threadIdx.x;
    const float4 four = reinterpret_cast<const float4*>(y)[t % 32];
    y[t] = four.x + four.w;  // <- race-global y
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    cudaMemcpyAsync(y, x, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    k<<<1, 128, 0, stream>>>(y);
    return cudaGetLastError();
}
