// More threads in a block than the kernel is compiled for, by a bound that a template gives; the first launch keeps to it.
// n: 256
// status: cudaErrorInvalidValue
template <int most>
__global__ void __launch_bounds__(most, 2) k(const float* in, float* out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<128><<<2, 128>>>(x, y);
    k<128><<<1, 256>>>(x, y);  // <- bad-launch
    return cudaGetLastError();
}
