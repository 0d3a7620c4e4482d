// Each stretch of 128 elements is written back in the opposite order. Loads and stores both go forwards.
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void backwards(const float* x, float* out) {
    __shared__ float tile[128];
    int t = threadIdx.x;
    int64_t i = (int64_t)blockIdx.x * 128 + t;
    out[i] = x[i] + 0.0f * t;  // TODO: into `tile`, wait for the whole block, out of `tile` at another place
    (void)tile;
}

extern "C" cudaError_t reverse(const float* x, float* out, int64_t n, cudaStream_t stream) {
    backwards<<<(unsigned)(n / 128), 128, 0, stream>>>(x, out);  // n is a multiple of 128 here
    return cudaGetLastError();
}
