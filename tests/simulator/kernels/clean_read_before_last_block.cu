// The last block to finish writes what all have read: fence, then an atomic counter.
// n: 256
// Result: x
__device__ unsigned arrived = 0;
__global__ void k(float* y, float* sums) {
    __shared__ bool last;
    const int t = threadIdx.x;
    const float mine = y[blockIdx.x * 32 + t];
    atomicAdd(&sums[blockIdx.x], mine);
    __threadfence();
    __syncthreads();
    if (t == 0) last = atomicAdd(&arrived, 1u) == gridDim.x - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
    for (int b = 0; b < gridDim.x; b++) y[b * 32 + t] += 0.0f * sums[b];
    if (t == 0) arrived = 0;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    cudaMemcpyAsync(y, x, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    float* sums;
    cudaMalloc(&sums, 8 * sizeof(float));
    cudaMemsetAsync(sums, 0, 8 * sizeof(float), stream);
    k<<<8, 32, 0, stream>>>(y, sums);
    cudaFree(sums);
    return cudaGetLastError();
}
