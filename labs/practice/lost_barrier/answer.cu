// out[r] = the sum of 128 numbers, by a tree in shared memory. On most days it is right.
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void sum(const float* x, float* out) {
    __shared__ float sums[128];
    int t = threadIdx.x;
    sums[t] = x[blockIdx.x * 128 + t];
    // <gap>
    //| for (int half = 64; half > 0; half /= 2) {
    //|     if (t < half) sums[t] += sums[t + half];
    //|     __syncthreads();
    //| }
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half) sums[t] += sums[t + half];
        __syncthreads();
    }
    // </gap>
    if (t == 0) out[blockIdx.x] = sums[0];
}

extern "C" cudaError_t lost_barrier(const float* x, float* out, int64_t rows, cudaStream_t stream) {
    sum<<<(unsigned)rows, 128, 0, stream>>>(x, out);
    return cudaGetLastError();
}
