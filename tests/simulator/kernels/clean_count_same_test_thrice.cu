// As clean_count_same_test_twice, with an index of 64 bits and atomics, which clang takes apart where g++ does not.
// n: 256
// Total: load_requests 8, load_sectors 32, shared_load_wavefronts 1, shared_store_wavefronts 1, atomics 8, barriers 2
#include <stdint.h>

__global__ void thrice(const float* x, float* y) {
    __shared__ int mine[8];
    int t = threadIdx.x;
    int64_t i = (int64_t)blockIdx.x * blockDim.x + t;
    if (t < 8) mine[t] = 0;
    __syncthreads();
    atomicAdd(&mine[(int)x[i]], 1);  // = load_requests 8
    __syncthreads();
    if (t < 8) atomicAdd(&y[t], (float)mine[t]);
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    cudaMemset(y, 0, n * sizeof(float));
    thrice<<<1, 256>>>(x, y);
    return cudaGetLastError();
}
