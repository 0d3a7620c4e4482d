// Many blocks use the same array: what one block leaves without a wait is nothing to the next.
// n: 128
// Result: x
#include <cuda_pipeline.h>

__global__ void fill(const float* in, float* out, int64_t n) {
    __shared__ float tile[32];
    const int at = blockIdx.x * 32 + threadIdx.x;
    if (blockIdx.x % 2 == 0) {
        __pipeline_memcpy_async(tile + threadIdx.x, in + at, 4);
        __pipeline_commit();
        out[at] = in[at];
    } else {
        tile[31 - threadIdx.x] = in[at];
        __syncthreads();
        out[at] = tile[31 - threadIdx.x];
    }
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    fill<<<4, 32, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}
