// The whole work done on the CPU, with no kernel at all.
// n: 64
// status: cudaErrorIllegalAddress
#include <string.h>
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    memcpy(y, x, n * sizeof(float));  // <- host-touches-device
    return cudaSuccess;
}
