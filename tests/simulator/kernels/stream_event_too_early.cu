// The events are there, but the second is recorded before the work that it should stand behind.
// n: 64
// stream: side
// Result: x + 1
__global__ void k(const float* in, float* out, int64_t n) {
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + 1;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    static cudaStream_t own = nullptr;
    static cudaEvent_t ready, done;
    if (!own) {
        cudaStreamCreate(&own);
        cudaEventCreate(&ready);
        cudaEventCreate(&done);
    }
    cudaEventRecord(ready, stream);
    cudaStreamWaitEvent(own, ready);
    cudaEventRecord(done, own);
    k<<<2, 32, 0, own>>>(x, y, n);  // <- wrong-stream
    cudaStreamWaitEvent(stream, done);
    return cudaGetLastError();
}
