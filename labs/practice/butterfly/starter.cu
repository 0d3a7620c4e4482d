// out[r][c] = x[r][c] - the largest of row r: every lane needs the maximum, not lane 0 alone.
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void below_max(const float* x, float* out) {
    int64_t i = blockIdx.x * 32 + threadIdx.x;
    float mine = x[i], largest = mine;
    // TODO: five exchanges after which each lane holds the largest of all 32
    out[i] = mine - largest;
}

extern "C" cudaError_t butterfly(const float* x, float* out, int64_t rows, cudaStream_t stream) {
    below_max<<<(unsigned)rows, 32, 0, stream>>>(x, out);
    return cudaGetLastError();
}
