// exercise: softmax_naive
// unusual: an abstract class of walks over a row and two of them, made in the kernel and called through a reference to their base
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

class Walk {
public:
    __device__ explicit Walk(float start) : state_(start) {}
    __device__ virtual void see(float value) = 0;
    __device__ float state() const { return state_; }
    __device__ virtual ~Walk() {}

protected:
    float state_;
};
class Maximum final : public Walk {
public:
    __device__ Maximum() : Walk(-INFINITY) {}
    __device__ void see(float value) override { state_ = fmaxf(state_, value); }
};
class Sum final : public Walk {
public:
    __device__ explicit Sum(float top) : Walk(0.0f), top_(top) {}
    __device__ void see(float value) override { state_ += expf(value - top_); }

private:
    float top_;
};
__device__ float walked(Walk& walk, const float* row, int64_t cols) {
    for (int64_t j = 0; j < cols; ++j) walk.see(row[j]);
    return walk.state();
}
__global__ void softmax(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * cols) return;
    const float* row = x + i / cols * xs;
    Maximum maximum;
    const float top = walked(maximum, row, cols);
    Sum sum(top);
    const float total = walked(sum, row, cols);
    y[i / cols * ys + i % cols] = expf(row[i % cols] - top) / total;
}
extern "C" cudaError_t softmax_naive(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    softmax<<<(unsigned)((rows * cols + 255) / 256), 256, 0, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
