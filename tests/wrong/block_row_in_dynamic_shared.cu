// exercise: softmax_block
// bug: a row in dynamic shared memory; for more than 48 KB nobody has asked
// caught: bad-launch
// group: long
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void softmax(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys) {
    extern __shared__ float row[];
    __shared__ float parts[128];
    const float* in = x + blockIdx.x * xs;
    float m = -INFINITY, s = 0;
    for (int64_t c = threadIdx.x; c < cols; c += 128) m = fmaxf(m, row[c] = in[c]);
    parts[threadIdx.x] = m;
    __syncthreads();
    for (int h = 64; h; h /= 2) {
        if (threadIdx.x < h) parts[threadIdx.x] = fmaxf(parts[threadIdx.x], parts[threadIdx.x + h]);
        __syncthreads();
    }
    m = parts[0];
    __syncthreads();
    for (int64_t c = threadIdx.x; c < cols; c += 128) s += row[c] = expf(row[c] - m);
    parts[threadIdx.x] = s;
    __syncthreads();
    for (int h = 64; h; h /= 2) {
        if (threadIdx.x < h) parts[threadIdx.x] += parts[threadIdx.x + h];
        __syncthreads();
    }
    for (int64_t c = threadIdx.x; c < cols; c += 128) y[blockIdx.x * ys + c] = row[c] / parts[0];
}

extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    softmax<<<(unsigned)rows, 128, cols * sizeof(float), stream>>>(x, y, rows, cols, xs, ys);
    return cudaGetLastError();
}
