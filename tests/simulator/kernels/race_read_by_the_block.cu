// All threads of a block read an element that one of them overwrites.
// n: 64
__global__ void k(float* y) {
    const float first = y[7];
    if (threadIdx.x == 40) y[7] = first + 1.0f;  // <- race-global y
    else if (threadIdx.x > 7) y[threadIdx.x] = first;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    cudaMemcpyAsync(y, x, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    k<<<1, 64, 0, stream>>>(y);
    return cudaGetLastError();
}
