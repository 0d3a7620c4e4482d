// Every dimension of grid and block at once; each index exactly once.
// n: 480
// Result: x + np.arange(n)
__global__ void k(const float* in, float* out, int64_t n) {
    int in_block = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    int threads = blockDim.x * blockDim.y * blockDim.z, blocks = gridDim.x * gridDim.y * gridDim.z;
    for (int64_t i = block * threads + in_block; i < n; i += (int64_t)blocks * threads) out[i] = in[i] + i;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    k<<<dim3(2, 1, 3), dim3(5, 2, 3)>>>(x, y, n);
    return cudaGetLastError();
}
