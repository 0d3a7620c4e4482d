// exercise: softmax_naive
// unusual: a 2-D grid of 2-D blocks, a thread an element, helpers as lambdas in the kernel, auto everywhere
#include <cuda_runtime.h>
#include <cmath>
#include <algorithm>
#include <cstdint>

__global__ void softmax(const float* x, float* y, std::int64_t rows, std::int64_t cols, std::int64_t xs, std::int64_t ys) {
    for (std::int64_t r = blockIdx.y * std::int64_t(blockDim.y) + threadIdx.y; r < rows; r += std::int64_t(gridDim.y) * blockDim.y) {
        const float* row = x + r * xs;
        const auto largest = [&] { float m = -INFINITY; for (std::int64_t c = 0; c < cols; ++c) m = std::fmax(m, row[c]); return m; }();
        const auto total = [&] { float s = 0; for (std::int64_t c = 0; c < cols; ++c) s += std::exp(row[c] - largest); return s; }();
        for (std::int64_t c = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x; c < cols; c += std::int64_t(gridDim.x) * blockDim.x)
            y[r * ys + c] = std::exp(row[c] - largest) / total;
    }
}
extern "C" cudaError_t softmax_naive(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t stream) {
    if (rows * cols == 0) return cudaSuccess;
    const dim3 block{16, 8}, grid{(unsigned)std::min<std::int64_t>((cols + 15) / 16, 1 << 16), (unsigned)std::min<std::int64_t>((rows + 7) / 8, 65535)};
    softmax<<<grid, block, 0, stream>>>(x, y, rows, cols, xs, ys);
    return cudaGetLastError();
}
