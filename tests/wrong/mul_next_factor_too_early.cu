// exercise: softmax_mul
// bug: w of the next turn is loaded over that of this one
// group: shapes
// caught: values
// cause: element-of-next-step
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kThreads = 128;

__device__ float reduce(float v, bool maximum) {
    __shared__ float parts[kThreads];
    __syncthreads();
    parts[threadIdx.x] = v;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            float other = parts[threadIdx.x + half];
            parts[threadIdx.x] = maximum ? fmaxf(parts[threadIdx.x], other) : parts[threadIdx.x] + other;
        }
        __syncthreads();
    }
    return parts[0];
}

// w of the next step is on its way while this one is computed.
template <typename T>
__global__ void fused(const T* x, const T* w, T* y, int64_t cols, int64_t xs, int64_t ws, int64_t ys) {
    const T* in = x + blockIdx.x * xs;
    const T* factors = w + blockIdx.x * ws;
    T* out = y + blockIdx.x * ys;
    float top = -INFINITY, sum = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) top = fmaxf(top, (float)in[c]);
    top = reduce(top, true);
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) sum += expf((float)in[c] - top);
    sum = reduce(sum, false);
    T next = threadIdx.x < cols ? factors[threadIdx.x] : (T)0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
        if (c + kThreads < cols) next = factors[c + kThreads];
        out[c] = (T)(expf((float)in[c] - top) / sum * (float)next);
    }
}

template <typename T>
cudaError_t run(const T* x, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    fused<<<(unsigned)rows, kThreads, 0, stream>>>(x, w, y, cols, xs, ws, ys);
    return cudaGetLastError();
}
#define SOFTMAX_MUL(name, T) \
    extern "C" cudaError_t name(const T* x, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys, cudaStream_t stream) { \
        return run(x, w, y, rows, cols, xs, ws, ys, stream); \
    }
SOFTMAX_MUL(softmax_mul, float)
SOFTMAX_MUL(softmax_mul_f16, __half)
SOFTMAX_MUL(softmax_mul_bf16, __nv_bfloat16)
