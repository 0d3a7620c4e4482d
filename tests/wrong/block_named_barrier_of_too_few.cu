// exercise: softmax_block
// bug: a named barrier counts 64 threads, and 128 come
// caught: race-shared
// group: shapes, peaked
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void softmax(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys) {
    __shared__ float parts[4];
    const int t = threadIdx.x;
    float m = -INFINITY, s = 0;
    for (int64_t c = t; c < cols; c += 128) m = fmaxf(m, x[blockIdx.x * xs + c]);
    for (int o = 16; o; o /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
    if (t % 32 == 0) parts[t / 32] = m;
    asm volatile("bar.sync 1, 64;" ::: "memory");
    m = fmaxf(fmaxf(parts[0], parts[1]), fmaxf(parts[2], parts[3]));
    __syncthreads();
    for (int64_t c = t; c < cols; c += 128) s += expf(x[blockIdx.x * xs + c] - m);
    for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    if (t % 32 == 0) parts[t / 32] = s;
    __syncthreads();
    s = parts[0] + parts[1] + parts[2] + parts[3];
    for (int64_t c = t; c < cols; c += 128) y[blockIdx.x * ys + c] = expf(x[blockIdx.x * xs + c] - m) / s;
}

extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    softmax<<<(unsigned)rows, 128, 0, stream>>>(x, y, rows, cols, xs, ys);
    return cudaGetLastError();
}
