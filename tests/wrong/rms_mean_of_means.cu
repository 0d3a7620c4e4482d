// exercise: rmsnorm
// bug: the means of the threads are averaged, which are of different numbers of columns
// group: shapes
// caught: values
// cause: rms-mean-of-means
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kThreads = 256;

// Welford's running mean of the squares in each thread; the threads' means are averaged.
template <typename T>
__global__ void norm(const T* x, const T* residual, const T* weight, T* y, int64_t cols, int64_t xs, int64_t rs, int64_t ys, float eps) {
    __shared__ float means[kThreads];
    const int t = threadIdx.x;
    float mean = 0.0f;
    int count = 0;
    for (int64_t j = t; j < cols; j += kThreads) {
        const float h = (float)x[blockIdx.x * xs + j] + (float)residual[blockIdx.x * rs + j];
        ++count;
        mean += (h * h - mean) / count;
    }
    means[t] = mean;
    __syncthreads();
    const int filled = cols < kThreads ? (int)cols : kThreads;
    for (int s = kThreads / 2; s > 0; s /= 2) {
        if (t < s) means[t] += means[t + s];
        __syncthreads();
    }
    const float scale = rsqrtf(means[0] / filled + eps);
    for (int64_t j = t; j < cols; j += kThreads)
        y[blockIdx.x * ys + j] = (T)(((float)x[blockIdx.x * xs + j] + (float)residual[blockIdx.x * rs + j]) * scale * (float)weight[j]);
}

template <typename T>
cudaError_t run(const T* x, const T* residual, const T* weight, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t rs, int64_t ys,
                float eps, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    norm<<<(unsigned)rows, kThreads, 0, stream>>>(x, residual, weight, y, cols, xs, rs, ys, eps);
    return cudaGetLastError();
}
#define RMSNORM(name, T)                                                                                               \
    extern "C" cudaError_t name(const T* x, const T* residual, const T* weight, T* y, int64_t rows, int64_t cols,      \
                                int64_t xs, int64_t rs, int64_t ys, float eps, cudaStream_t stream) {                  \
        return run(x, residual, weight, y, rows, cols, xs, rs, ys, eps, stream);                                       \
    }
RMSNORM(rmsnorm, float)
RMSNORM(rmsnorm_f16, __half)
RMSNORM(rmsnorm_bf16, __nv_bfloat16)
