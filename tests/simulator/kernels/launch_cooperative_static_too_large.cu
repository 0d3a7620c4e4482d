// 40 KB of static shared memory a block: four fit a multiprocessor of 164 KB, so 432 blocks the card.
// n: 32
// status: cudaErrorCooperativeLaunchTooLarge
__global__ void k(const float* in, float* out) {
    __shared__ float large[10240];
    large[threadIdx.x] = in[threadIdx.x];
    if (blockIdx.x == 0) out[threadIdx.x] = large[threadIdx.x];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t stream) {
    void* args[] = {&x, &y};
    return cudaLaunchCooperativeKernel(k, dim3(433), dim3(32), args, 0, stream);  // <- bad-launch
}
