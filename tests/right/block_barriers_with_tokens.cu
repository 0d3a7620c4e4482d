// exercise: softmax_block
// unusual: cuda::barrier with tokens: a thread arrives once it has left its share, loads its first element of the next step, and waits only then
#include <cuda/barrier>
#include <cuda/std/utility>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

using Barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int kThreads = 96;

__global__ void softmax(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys) {
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier tops_there, sums_there, read;
    __shared__ float tops[kThreads], sums[kThreads];
    if (threadIdx.x == 0) {
        init(&tops_there, blockDim.x);
        init(&sums_there, blockDim.x);
        init(&read, blockDim.x);
    }
    __syncthreads();
    const int t = threadIdx.x;
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const float* in = x + row * xs;
        float m = -INFINITY;
        for (int64_t c = t; c < cols; c += kThreads) m = fmaxf(m, in[c]);
        tops[t] = m;
        auto token = tops_there.arrive();
        const float mine = t < cols ? in[t] : -INFINITY;
        tops_there.wait(cuda::std::move(token));
        for (int i = 0; i < kThreads; ++i) m = fmaxf(m, tops[i]);
        float s = t < cols ? expf(mine - m) : 0.0f;
        for (int64_t c = t + kThreads; c < cols; c += kThreads) s += expf(in[c] - m);
        sums[t] = s;
        sums_there.arrive_and_wait();
        s = 0.0f;
        for (int i = 0; i < kThreads; ++i) s += sums[i];
        Barrier::arrival_token done = read.arrive();
        for (int64_t c = t; c < cols; c += kThreads) y[row * ys + c] = expf(in[c] - m) / s;
        read.wait(cuda::std::move(done));
    }
}
extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    softmax<<<(unsigned)(rows < 4096 ? rows : 4096), kThreads, 0, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
