// exercise: softmax_block
// unusual: cuda::std::optional for a maximum that a thread may not have, tuples returned and tied, cuda::std::array, and numeric_limits
#include <cuda/std/array>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/tuple>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
namespace std_ = cuda::std;

using Maybe = std_::optional<float>;
constexpr unsigned kThreads = 64;

__device__ Maybe larger(Maybe a, Maybe b) {
    if (!a) return b;
    return b ? Maybe(fmaxf(*a, *b)) : a;
}
__device__ std_::tuple<float, float> statistics(const float* row, int64_t cols) {
    __shared__ std_::array<float, kThreads> tops, sums;
    __shared__ std_::array<bool, kThreads> has;
    Maybe top;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) top = larger(top, row[c]);
    has[threadIdx.x] = top.has_value();
    tops[threadIdx.x] = top.value_or(-std_::numeric_limits<float>::infinity());
    __syncthreads();
    for (unsigned i = 0; i < kThreads; ++i) if (has[i]) top = larger(top, tops[i]);
    float sum = 0;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) sum += expf(row[c] - top.value());
    sums[threadIdx.x] = sum;
    __syncthreads();
    sum = 0;
    for (const float s : sums) sum += s;
    return std_::make_tuple(*top, sum);
}
__global__ void softmax(const float* x, float* y, int64_t cols, int64_t xs, int64_t ys) {
    const float* row = x + blockIdx.x * xs;
    float top, sum;
    std_::tie(top, sum) = statistics(row, cols);
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) y[blockIdx.x * ys + c] = expf(row[c] - top) / sum;
}
extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    softmax<<<(unsigned)rows, kThreads, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
