// Blocks of a cooperative launch are live together, so that the first may wait for a flag of the last.
// n: 128
// Result: np.tile(x[96:], 4)
__global__ void k(const float* in, float* out, float* middle, unsigned* flag) {
    const int t = threadIdx.x;
    if (blockIdx.x == gridDim.x - 1) {
        middle[t] = in[blockIdx.x * 32 + t];
        __syncthreads();
        if (t == 0) {
            __threadfence();
            atomicExch(flag, 1u);
        }
    } else {
        if (t == 0) {
            while (atomicAdd(flag, 0u) == 0) {
            }
            __threadfence();
        }
        __syncthreads();
    }
    out[blockIdx.x * 32 + t] = middle[t];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t stream) {
    float* middle;
    unsigned* flag;
    cudaMalloc(&middle, 32 * sizeof(float));
    cudaMalloc(&flag, sizeof(unsigned));
    cudaMemset(flag, 0, sizeof(unsigned));
    void* args[] = {&x, &y, &middle, &flag};
    cudaError_t error = cudaLaunchCooperativeKernel(k, dim3(4), dim3(32), args, 0, stream);
    cudaFree(middle);
    cudaFree(flag);
    return error;
}
