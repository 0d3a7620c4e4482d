// exercise: vector_add
// unusual: a stream of its own, ordered behind and before the given one by two events
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    cudaStream_t side;
    cudaEvent_t ready, done;
    cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    cudaEventRecord(ready, stream);
    cudaStreamWaitEvent(side, ready, 0);
    add<<<(unsigned)((n + 255) / 256), 256, 0, side>>>(a, b, out, n);
    const cudaError_t error = cudaGetLastError();
    cudaEventRecord(done, side);
    cudaStreamWaitEvent(stream, done, 0);
    cudaEventDestroy(ready);
    cudaEventDestroy(done);
    cudaStreamDestroy(side);
    return error;
}
