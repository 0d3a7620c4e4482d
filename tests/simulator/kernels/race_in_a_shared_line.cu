// Eight blocks write four words each of the same 128 bytes, one of them a ninth time.
// n: 32
#include <cuda_runtime.h>
__global__ void k(const float* x, float* y) {
    y[blockIdx.x + 8 * threadIdx.x] = x[threadIdx.x];
    if (blockIdx.x == 7 && threadIdx.x == 3) y[5] = -x[0];  // <- race-global y
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t stream) {
    k<<<8, 4, 0, stream>>>(x, y);
    return cudaGetLastError();
}
