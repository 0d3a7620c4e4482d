// out[0] = the sum of n numbers, n at most 32, by one warp.
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void sum(const float* x, float* out, int64_t n) {
    int t = threadIdx.x;
    if (t >= n) return;
    float value = x[t];
    for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
    if (t == 0) out[0] = value;
}

extern "C" cudaError_t absent_lane(const float* x, float* out, int64_t n, cudaStream_t stream) {
    sum<<<1, 32, 0, stream>>>(x, out, n);
    return cudaGetLastError();
}
