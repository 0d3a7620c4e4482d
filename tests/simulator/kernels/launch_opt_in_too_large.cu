// More shared memory than the card has for a block.
// n: 32
// status: cudaErrorInvalidValue
__global__ void k(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x]; }
extern "C" cudaError_t run(const float*, float*, int64_t, cudaStream_t) {
    return cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024);  // <- bad-launch
}
