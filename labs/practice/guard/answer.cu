// out[i] = 2 x[i], for any n: the last block has threads to spare.
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void twice(const float* x, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    // <gap>
    //| // TODO: one line. A thread without an element of its own does nothing.
    if (i >= n) return;
    // </gap>
    out[i] = 2.0f * x[i];
}

extern "C" cudaError_t guard(const float* x, float* out, int64_t n, cudaStream_t stream) {
    const int threads = 64;
    twice<<<(n + threads - 1) / threads, threads, 0, stream>>>(x, out, n);
    return cudaGetLastError();
}
