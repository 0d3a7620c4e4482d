// exercise: softmax_mul
// unusual: one pass, online: pairs of maximum and sum are joined by an operator+ in a tree whose width is 80
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

struct Part {
    float top = -INFINITY, sum = 0.0f;
    __device__ Part() {}
    __device__ Part(float t, float s) : top(t), sum(s) {}
    __device__ Part operator+(Part o) const {
        const float t = fmaxf(top, o.top);
        if (t == -INFINITY) return Part(t, sum + o.sum);
        return Part(t, sum * expf(top - t) + o.sum * expf(o.top - t));
    }
};
constexpr int kThreads = 80;

template <typename T>
__global__ void kernel(const T* x, const T* w, T* y, int64_t cols, int64_t xs, int64_t ws, int64_t ys) {
    __shared__ float tops[kThreads], sums[kThreads];
    const int t = threadIdx.x;
    x += blockIdx.x * xs;
    Part mine;
    for (int64_t c = t; c < cols; c += kThreads) {
        const float v = (float)x[c];
        mine = v == -INFINITY ? mine : mine + Part(v, isnan(v) ? v : 1.0f);
    }
    tops[t] = mine.top;
    sums[t] = mine.sum;
    for (int left = kThreads; left > 1;) {
        const int half = (left + 1) / 2;
        __syncthreads();
        if (t + half < left) {
            mine = mine + Part(tops[t + half], sums[t + half]);
            tops[t] = mine.top;
            sums[t] = mine.sum;
        }
        left = half;
    }
    __syncthreads();
    const float top = tops[0], sum = sums[0];
    for (int64_t c = t; c < cols; c += kThreads) y[blockIdx.x * ys + c] = (T)(expf((float)x[c] - top) / sum * (float)w[blockIdx.x * ws + c]);
}

template <typename T>
cudaError_t run(const T* x, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    kernel<<<(unsigned)rows, kThreads, 0, stream>>>(x, w, y, cols, xs, ws, ys);
    return cudaGetLastError();
}

#define L(name, T)                                                                                                          \
    extern "C" cudaError_t name(const T* x, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys, \
                                cudaStream_t stream) {                                                                      \
        return run(x, w, y, rows, cols, xs, ws, ys, stream);                                                                \
    }
L(softmax_mul, float)
L(softmax_mul_f16, __half)
L(softmax_mul_bf16, __nv_bfloat16)
