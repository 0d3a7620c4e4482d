// Fork and join by events: half of the work in a stream of the launcher's own, which waits and is waited for.
// n: 96
// stream: side
// Result: x + 1
__global__ void k(const float* in, float* out, int64_t n) {
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + 1;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    cudaStream_t own;
    cudaEvent_t ready, done;
    cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    cudaEventRecord(ready, stream);
    cudaStreamWaitEvent(own, ready, 0);
    k<<<1, 32, 0, own>>>(x, y, 32);
    k<<<2, 32, 0, stream>>>(x + 32, y + 32, n - 32);
    cudaEventRecord(done, own);
    cudaStreamWaitEvent(stream, done, 0);
    cudaStreamDestroy(own);
    cudaEventDestroy(ready);
    cudaEventDestroy(done);
    return cudaGetLastError();
}
