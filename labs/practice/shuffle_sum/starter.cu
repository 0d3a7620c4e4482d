// out[r] = the sum of 32 numbers, one per lane of a warp, without shared memory.
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void sum(const float* x, float* out) {
    float value = x[blockIdx.x * 32 + threadIdx.x];
    // TODO: five steps; in each a lane adds the value of the lane 16, 8, 4, 2, 1 further on
    if (threadIdx.x == 0) out[blockIdx.x] = value;
}

extern "C" cudaError_t shuffle_sum(const float* x, float* out, int64_t rows, cudaStream_t stream) {
    sum<<<(unsigned)rows, 32, 0, stream>>>(x, out);
    return cudaGetLastError();
}
