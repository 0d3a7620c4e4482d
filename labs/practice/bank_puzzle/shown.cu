// One warp reads 32 floats of shared memory: lane t takes tile[t * stride].
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void read(const float* x, float* out, int64_t stride) {
    __shared__ float tile[2048];
    for (int i = threadIdx.x; i < 2048; i += 32) tile[i] = x[i];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x * stride];
}

extern "C" cudaError_t bank_puzzle(const float* x, float* out, int64_t stride, cudaStream_t stream) {
    read<<<1, 32, 0, stream>>>(x, out, stride);
    return cudaGetLastError();
}
