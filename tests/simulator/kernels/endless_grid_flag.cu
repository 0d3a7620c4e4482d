// Every block of a cooperative launch waits for a flag that none sets: the time-limit ends it.
// n: 64
// status: cudaErrorLaunchTimeout
__global__ void k(float* out, unsigned* flag) {
    if (threadIdx.x == 0) {
        while (atomicAdd(flag, 0u) == 0) {  // <- time-limit
        }
    }
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = 1.0f;
}
extern "C" cudaError_t run(const float*, float* y, int64_t, cudaStream_t stream) {
    unsigned* flag;
    cudaMalloc(&flag, sizeof(unsigned));
    cudaMemset(flag, 0, sizeof(unsigned));
    void* args[] = {&y, &flag};
    return cudaLaunchCooperativeKernel(k, dim3(2), dim3(32), args, 0, stream);
}
