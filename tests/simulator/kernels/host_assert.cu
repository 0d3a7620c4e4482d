// An assertion of the launcher that does not hold.
// n: 32
// status: cudaErrorAssert
#include <assert.h>

__global__ void k(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x]; }

extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    assert(n == 33);  // <- assert-failed
    k<<<1, 32, 0, stream>>>(x, y);
    return cudaGetLastError();
}
