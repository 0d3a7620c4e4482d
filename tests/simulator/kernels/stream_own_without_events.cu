// Streams of the launcher's own: one tied to nothing, one that nobody waits for, one that waits for nobody.
// n: 96
// stream: side
// Result: x + 1
__global__ void k(const float* in, float* out, int64_t n) {
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + 1;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    cudaStream_t own[3];
    cudaEvent_t ready, done;
    for (cudaStream_t& s : own) cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    cudaEventRecord(ready, stream);
    k<<<1, 32, 0, own[0]>>>(x, y, 32);  // <- wrong-stream
    cudaStreamWaitEvent(own[1], ready);
    k<<<1, 32, 0, own[1]>>>(x + 32, y + 32, 32);  // <- wrong-stream
    k<<<1, 32, 0, own[2]>>>(x + 64, y + 64, n - 64);  // <- wrong-stream
    cudaEventRecord(done, own[2]);
    cudaStreamWaitEvent(stream, done);
    for (cudaStream_t s : own) cudaStreamDestroy(s);
    cudaEventDestroy(ready);
    cudaEventDestroy(done);
    return cudaGetLastError();
}
