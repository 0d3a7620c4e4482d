// 108 multiprocessors hold two blocks of 1024 threads each: 217 blocks are one too many.
// n: 32
// status: cudaErrorCooperativeLaunchTooLarge
__global__ void k(const float* in, float* out) { out[threadIdx.x % 32] = in[threadIdx.x % 32]; }
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t stream) {
    void* args[] = {&x, &y};
    return cudaLaunchCooperativeKernel(k, dim3(217), dim3(1024), args, 0, stream);  // <- bad-launch
}
