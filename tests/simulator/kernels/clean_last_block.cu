// The last block to finish adds up what all have written: fence, then an atomic counter.
// n: 256
// Result: np.where(np.arange(n) == 0, blocks(x), np.float32(0))
__device__ unsigned arrived = 0;
__global__ void k(const float* in, float* out, float* partial) {
    __shared__ bool last;
    int t = threadIdx.x;
    if (t == 0) {
        float sum = 0.0f;
        for (int i = 0; i < 32; i++) sum += in[blockIdx.x * 32 + i];
        partial[blockIdx.x] = sum;
        __threadfence();
        last = atomicAdd(&arrived, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        float sum = 0.0f;
        for (int b = 0; b < gridDim.x; b++) sum += partial[b];
        out[0] = sum;
        arrived = 0;
    }
    if (blockIdx.x || t) out[blockIdx.x * 32 + t] = 0.0f;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    float* partial;
    cudaMalloc(&partial, 8 * sizeof(float));
    k<<<8, 32>>>(x, y, partial);
    cudaFree(partial);
    return cudaGetLastError();
}
