// 64 KB of shared memory, asked for first.
// n: 64
// Result: x
template <int kThreads>
__global__ void k(const float* in, float* out) {
    extern __shared__ float s[];
    s[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = s[threadIdx.x];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    cudaError_t error = cudaFuncSetAttribute(k<64>, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024);
    if (error != cudaSuccess) return error;
    k<64><<<1, 64, 64 * 1024>>>(x, y);
    return cudaGetLastError();
}
