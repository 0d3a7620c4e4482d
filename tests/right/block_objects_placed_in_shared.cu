// exercise: softmax_block
// unusual: placement new makes an object per thread in a buffer of bytes in shared memory, a method of it visits the neighbours, a destructor ends it
#include <cuda_runtime.h>
#include <math.h>
#include <new>
#include <stdint.h>

constexpr int kThreads = 128;
class Share {
public:
    __device__ Share(const float* row, int64_t cols) : top_(-INFINITY), sum_(0) {
        for (int64_t c = threadIdx.x; c < cols; c += kThreads) top_ = fmaxf(top_, row[c]);
        for (int64_t c = threadIdx.x; c < cols; c += kThreads) sum_ += expf(row[c] - (top_ == -INFINITY ? 0.0f : top_));
    }
    __device__ ~Share() {}
    __device__ void take(const Share& other) {
        const float top = fmaxf(top_, other.top_), base = top == -INFINITY ? 0.0f : top;
        sum_ = sum_ * expf(top_ - base) + other.sum_ * expf(other.top_ - base);
        top_ = top;
    }
    __device__ float operator()(float v) const { return expf(v - top_) / sum_; }

private:
    float top_, sum_;
};
__global__ void softmax(const float* x, float* y, int64_t cols, int64_t xs, int64_t ys) {
    __shared__ alignas(Share) unsigned char room[kThreads * sizeof(Share)];
    const float* row = x + (int64_t)blockIdx.x * xs;
    Share* const mine = new (room + threadIdx.x * sizeof(Share)) Share(row, cols);
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half /= 2) {
        if ((int)threadIdx.x < half) mine->take(mine[half]);
        __syncthreads();
    }
    const Share& whole = *reinterpret_cast<Share*>(room);
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) y[blockIdx.x * ys + c] = whole(row[c]);
    __syncthreads();
    mine->~Share();
}
extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    softmax<<<(unsigned)rows, kThreads, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
