// The kernel is in the right stream; what zeroes its scratch memory, and what fetches a result, are not.
// n: 100
// stream: side
// Result: x
__global__ void add(const float* in, float* total, float* out, int64_t n) {
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(total, out[i] = in[i]);
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    static float* total = nullptr;
    float result = 0;
    if (!total) cudaMalloc(&total, sizeof(float));
    cudaMemset(total, 0, sizeof(float));  // <- wrong-stream
    add<<<4, 32, 0, stream>>>(x, total, y, n);  // <- stream-race
    cudaMemcpy(&result, total, sizeof(float), cudaMemcpyDeviceToHost);  // <- wrong-stream
    return result > 0 ? cudaGetLastError() : cudaErrorUnknown;
}
