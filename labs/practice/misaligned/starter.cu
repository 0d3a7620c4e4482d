// out = -x; a block has a row, and takes it by four where that can be.
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void negate(const float* x, float* out, int64_t cols) {
    const float* from = x + blockIdx.x * cols;
    float* to = out + blockIdx.x * cols;
    int64_t quads = cols / 4;
    for (int64_t i = threadIdx.x; i < quads; i += blockDim.x) {
        float4 v = reinterpret_cast<const float4*>(from)[i];
        reinterpret_cast<float4*>(to)[i] = make_float4(-v.x, -v.y, -v.z, -v.w);
    }
    for (int64_t i = 4 * quads + threadIdx.x; i < cols; i += blockDim.x) to[i] = -from[i];
}

extern "C" cudaError_t misaligned(const float* x, float* out, int64_t rows, int64_t cols, cudaStream_t stream) {
    negate<<<(unsigned)rows, 32, 0, stream>>>(x, out, cols);
    return cudaGetLastError();
}
