// A macro that ends the process.
// n: 32
// status: cudaErrorLaunchFailure
#include <stdlib.h>
#define CHECK(call) do { if ((call) != cudaSuccess) exit(1); } while (0)
extern "C" cudaError_t run(const float*, float*, int64_t, cudaStream_t) {
    void* p;
    CHECK(cudaMalloc(&p, (size_t)1 << 60));  // <- exit-called
    return cudaSuccess;
}
