// out[i] = x[i] - x[first of its block of 64]: the first element travels through shared memory.
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void minus_first(const float* x, float* out, int64_t n) {
    __shared__ float tile[64];
    int t = threadIdx.x;
    int64_t i = (int64_t)blockIdx.x * 64 + t;
    // <gap>
    //| if (i >= n) return;
    //| tile[t] = x[i];
    //| __syncthreads();
    //| out[i] = x[i] - tile[0];
    if (i < n) tile[t] = x[i];
    __syncthreads();
    if (i < n) out[i] = x[i] - tile[0];
    // </gap>
}

extern "C" cudaError_t barrier_for_some(const float* x, float* out, int64_t n, cudaStream_t stream) {
    minus_first<<<(unsigned)((n + 63) / 64), 64, 0, stream>>>(x, out, n);
    return cudaGetLastError();
}
