// exercise: rmsnorm
// bug: vectors of the weight where the row of x is aligned
// group: unaligned
// caught: misaligned-access
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kThreads = 256;

template <typename T>
__global__ void norm(const T* x, const T* residual, const T* weight, T* y, int64_t cols, int64_t xs, int64_t rs, int64_t ys, float eps) {
    __shared__ float squares[kThreads];
    const int t = threadIdx.x;
    const T* a = x + blockIdx.x * xs;
    const T* b = residual + blockIdx.x * rs;
    float sum = 0.0f;
    for (int64_t j = t; j < cols; j += kThreads) {
        const float h = (float)a[j] + (float)b[j];
        sum += h * h;
    }
    squares[t] = sum;
    __syncthreads();
    for (int s = kThreads / 2; s > 0; s /= 2) {
        if (t < s) squares[t] += squares[t + s];
        __syncthreads();
    }
    const float scale = 1.0f / sqrtf(squares[0] / cols + eps);
    if (sizeof(T) == 4 && cols % 4 == 0 && (uintptr_t)a % 16 == 0) {
        for (int64_t j = t; j < cols / 4; j += kThreads) {
            const float4 w = reinterpret_cast<const float4*>(weight)[j];
            T* o = y + blockIdx.x * ys + 4 * j;
            o[0] = (T)(((float)a[4 * j] + (float)b[4 * j]) * scale * w.x);
            o[1] = (T)(((float)a[4 * j + 1] + (float)b[4 * j + 1]) * scale * w.y);
            o[2] = (T)(((float)a[4 * j + 2] + (float)b[4 * j + 2]) * scale * w.z);
            o[3] = (T)(((float)a[4 * j + 3] + (float)b[4 * j + 3]) * scale * w.w);
        }
        return;
    }
    for (int64_t j = t; j < cols; j += kThreads) {
        y[blockIdx.x * ys + j] = (T)(((float)a[j] + (float)b[j]) * scale * (float)weight[j]);
    }
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
