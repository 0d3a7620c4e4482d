// exercise: softmax_naive
// unusual: every kind of load that has a hint: __ldca for the maximum, __ldg for the sum, __ldlu for the element, and __stcs for the result
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void __launch_bounds__(128, 4) softmax(const float* __restrict__ x, float* __restrict__ y, int64_t rows, int64_t cols, int64_t xs, int64_t ys) {
    const int64_t all = rows * cols;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < all; i += (int64_t)gridDim.x * blockDim.x) {
        const int64_t r = i / cols, c = i - r * cols;
        const float* row = x + r * xs;
        float m = __ldca(row);
        for (int64_t j = 1; j < cols; ++j) m = fmaxf(m, __ldca(row + j));
        float s = 0.f;
        for (int64_t j = 0; j < cols; ++j) s += expf(__ldg(row + j) - m);
        __stcs(y + r * ys + c, __fdiv_rn(expf(__ldlu(row + c) - m), s));
    }
}

extern "C" cudaError_t softmax_naive(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows < 1 || cols < 1) return cudaSuccess;
    const int64_t blocks = (rows * cols + 127) / 128;
    softmax<<<(unsigned)(blocks < 1048576 ? blocks : 1048576), 128, 0, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride);
    return cudaPeekAtLastError() == cudaSuccess ? cudaSuccess : cudaGetLastError();
}
