// The device runtime's cudaMalloc and cudaFree: what one kernel takes and fills another reads and gives back; too much is refused.
// n: 32
// Result: np.concatenate([2 * x[:31], [1]])
__device__ float* kept[32];
__global__ void take(const float* in) {
    int t = threadIdx.x;
    if (cudaMalloc(&kept[t], 2 * sizeof(float)) != cudaSuccess) return;
    kept[t][0] = kept[t][1] = in[t];
}
__global__ void give(float* out) {
    int t = threadIdx.x;
    out[t] = kept[t][0] + kept[t][1];
    cudaFree(kept[t]);
    void* much;
    if (t == 31) out[t] = cudaMalloc(&much, size_t(1) << 30) == cudaErrorMemoryAllocation && much == nullptr;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t stream) {
    take<<<1, 32, 0, stream>>>(x);
    give<<<1, 32, 0, stream>>>(y);
    return cudaGetLastError();
}
