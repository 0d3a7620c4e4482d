// exercise: vector_add
// unusual: half of the work in a stream of its own, forked from the given one and joined again
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

static void launch(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n > 0) add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    static cudaStream_t second = nullptr;
    static cudaEvent_t ready, done;
    if (second == nullptr) {
        cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
        cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    }
    const int64_t half = n / 2;
    cudaEventRecord(ready, stream);
    cudaStreamWaitEvent(second, ready, 0);
    launch(a + half, b + half, out + half, n - half, second);
    cudaEventRecord(done, second);
    launch(a, b, out, half, stream);
    cudaStreamWaitEvent(stream, done, 0);
    return cudaGetLastError();
}
