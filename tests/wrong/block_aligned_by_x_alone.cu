// exercise: softmax_block
// bug: float4 stores wherever x begins on 16 bytes: y may begin elsewhere
// caught: misaligned-access
// group: unaligned
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void softmax(const float* x, float* y, int64_t cols, int64_t xs, int64_t ys, bool vectors) {
    x += blockIdx.x * xs;
    y += blockIdx.x * ys;
    float top = -INFINITY, sum = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += 32) top = fmaxf(top, x[c]);
    for (int step = 16; step > 0; step /= 2) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, step));
    for (int64_t c = threadIdx.x; c < cols; c += 32) sum += expf(x[c] - top);
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
    if (!vectors) {
        for (int64_t c = threadIdx.x; c < cols; c += 32) y[c] = expf(x[c] - top) / sum;
        return;
    }
    for (int64_t c = threadIdx.x; c < cols / 4; c += 32) {
        const float4 v = reinterpret_cast<const float4*>(x)[c];
        reinterpret_cast<float4*>(y)[c] =
            make_float4(expf(v.x - top) / sum, expf(v.y - top) / sum, expf(v.z - top) / sum, expf(v.w - top) / sum);
    }
}

extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride,
                                     int64_t y_row_stride, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    const bool vectors = (uintptr_t)x % 16 == 0 && cols % 4 == 0 && x_row_stride % 4 == 0 && y_row_stride % 4 == 0;
    softmax<<<(unsigned)rows, 32, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride, vectors);
    return cudaGetLastError();
}
