// Rows that begin inside a line of memory, each read and written by a block of its own, in halves, alone and in pairs.
// n: 100
// Result: 2 * x + 3
#include <cuda_runtime.h>
#include <stdint.h>
__global__ void k(const float* x, float* y) {
    const int t = threadIdx.x, row = 10 * blockIdx.x;
    for (int c = t; c < 10; c += 4) y[row + c] = x[row + c];
    __syncthreads();
    float2* pairs = reinterpret_cast<float2*>(y + row);
    for (int c = t; c < 5; c += 4) pairs[c] = make_float2(pairs[c].x + 1.0f, pairs[c].y + 1.0f);
    __syncthreads();
    uint16_t* halves = reinterpret_cast<uint16_t*>(y + row);
    for (int c = t; c < 20; c += 4) halves[c] = halves[c];
    __syncthreads();
    if (t == 0) for (int c = 0; c < 10; c++) y[row + c] += x[row + c] + 2.0f;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t stream) {
    k<<<10, 4, 0, stream>>>(x, y);
    return cudaGetLastError();
}
