// exercise: softmax_naive
// bug: the maximum begins at the thread's own element and goes on at the second: the first is nobody's but its own
// group: special
// caught: nan
// cause: softmax-max-from-own
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void outputs(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys) {
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < rows * cols; i += step) {
        const float* row = x + i / cols * xs;
        const float mine = row[i % cols];
        float top = mine;
        for (int64_t c = 1; c < cols; c++) top = fmaxf(top, row[c]);
        float sum = 0.0f;
        for (int64_t c = 0; c < cols; c++) sum += expf(row[c] - top);
        y[i / cols * ys + i % cols] = expf(mine - top) / sum;
    }
}

extern "C" cudaError_t softmax_naive(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    const int64_t blocks = (rows * cols + 255) / 256;
    outputs<<<(unsigned)(blocks < 1 << 30 ? blocks : 1 << 30), 256, 0, stream>>>(x, y, rows, cols, xs, ys);
    return cudaGetLastError();
}
