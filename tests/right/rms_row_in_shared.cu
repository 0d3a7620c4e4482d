// exercise: rmsnorm
// unusual: the sum of both lies in shared memory where a row fits, else it is added again; a tree over all threads of a power of two
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kThreads = 128;

template <bool kFits, typename T>
__global__ void kernel(const T* x, const T* residual, const T* weight, T* y, int64_t cols, int64_t xs, int64_t rs, int64_t ys, float eps) {
    extern __shared__ float row[];
    float* const tree = row;
    float* const h = row + kThreads;
    x += blockIdx.x * xs;
    residual += blockIdx.x * rs;
    y += blockIdx.x * ys;
    float sum = 0;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
        const float v = (float)x[c] + (float)residual[c];
        if constexpr (kFits) h[c] = v;
        sum += v * v;
    }
    tree[threadIdx.x] = sum;
    for (unsigned half = kThreads / 2; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) tree[threadIdx.x] += tree[threadIdx.x + half];
    }
    __syncthreads();
    const float root = sqrtf(fmaf(tree[0], 1.0f / cols, eps));
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
        const float v = kFits ? h[c] : (float)x[c] + (float)residual[c];
        y[c] = (T)(v / root * (float)weight[c]);
    }
}

template <typename T>
cudaError_t run(const T* x, const T* residual, const T* weight, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t rs,
                int64_t ys, float eps, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    const bool fits = cols <= 11 * 1024;
    const size_t bytes = (kThreads + (fits ? cols : 0)) * sizeof(float);
    (fits ? kernel<true, T> : kernel<false, T>)<<<(unsigned)rows, kThreads, bytes, stream>>>(x, residual, weight, y, cols, xs, rs, ys, eps);
    return cudaGetLastError();
}

#define L(name, T)                                                                                                       \
    extern "C" cudaError_t name(const T* x, const T* residual, const T* weight, T* y, int64_t rows, int64_t cols,          \
                                int64_t xs, int64_t rs, int64_t ys, float eps, cudaStream_t stream) {                      \
        return run(x, residual, weight, y, rows, cols, xs, rs, ys, eps, stream);                                           \
    }
L(rmsnorm, float)
L(rmsnorm_f16, __half)
L(rmsnorm_bf16, __nv_bfloat16)
