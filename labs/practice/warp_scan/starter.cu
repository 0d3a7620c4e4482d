// out[r][t] = x[r][0] + ... + x[r][t]: an inclusive scan of 32 numbers in a warp.
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void scan(const int* x, int* out) {
    int t = threadIdx.x;
    int value = x[blockIdx.x * 32 + t];
    // TODO: with distances 1, 2, 4, 8, 16: take the value from that far to the left, add it where there is one
    out[blockIdx.x * 32 + t] = value;
}

extern "C" cudaError_t warp_scan(const int* x, int* out, int64_t rows, cudaStream_t stream) {
    scan<<<(unsigned)rows, 32, 0, stream>>>(x, out);
    return cudaGetLastError();
}
