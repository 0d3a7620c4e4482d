// One element past a __device__ array: what lies there is another variable, which may even be right by luck. With clang++
// it is one of the device's, and a read of that is not out of bounds.
// n: 256
// compiler: g++
#include <stdint.h>
__device__ float partial[8];
__device__ unsigned ticket;
__global__ void k(float* y, int64_t n) {
    if (threadIdx.x < 8) partial[threadIdx.x] = 1.0f;
    __syncthreads();
    float sum = 0.0f;
    for (int i = 0; i <= 8; ++i) sum += partial[i];  // <- out-of-bounds-read partial
    if (threadIdx.x < n) y[threadIdx.x] = sum;
    if (threadIdx.x == 0) ticket += 1;
}
extern "C" cudaError_t run(const float*, float* y, int64_t n, cudaStream_t) {
    k<<<1, 256>>>(y, n);
    return cudaGetLastError();
}
