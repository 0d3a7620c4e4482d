// An assertion that does not hold.
// n: 32
// status: cudaErrorAssert
#include <assert.h>
__global__ void k(const float* in, float* out) {
    assert(in[threadIdx.x] < 0.0f);  // <- assert-failed
    out[threadIdx.x] = in[threadIdx.x];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 32>>>(x, y);
    return cudaDeviceSynchronize();
}
