// A histogram in shared memory, added to the output with atomics.
// n: 256
// Result: np.bincount(((x - 1) * 16).astype(np.int64), minlength=256)
// Total: atomics 16
// The 16 bins are added by 16 threads of the only block: 16 atomic operations on global memory.
__global__ void k(const float* in, float* out, int64_t n) {
    __shared__ int bins[16];
    int t = threadIdx.x;
    if (t < 16) bins[t] = 0;
    __syncthreads();
    for (int64_t i = t; i < n; i += blockDim.x) atomicAdd(&bins[(int)((in[i] - 1.0f) * 16.0f)], 1);
    __syncthreads();
    if (t < 16) atomicAdd(&out[t], (float)bins[t]);
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    cudaMemset(y, 0, n * sizeof(float));
    k<<<1, 128>>>(x, y, n);
    return cudaGetLastError();
}
