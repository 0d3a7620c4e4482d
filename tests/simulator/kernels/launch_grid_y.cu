// One block a row along y, and more rows than y can count.
// n: 32
// status: cudaErrorInvalidValue
__global__ void k(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x]; }
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<dim3(1, 65536), 32>>>(x, y);  // <- bad-launch
    return cudaGetLastError();
}
