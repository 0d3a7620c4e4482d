// exercise: softmax_mul
// unusual: no division: the logarithm of the sum is taken from the exponent; the epilogue walks the row backwards
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

template <typename T>
__global__ void kernel(const T* x, const T* w, T* y, int64_t cols, int64_t xs, int64_t ws, int64_t ys) {
    __shared__ float found[64];
    __shared__ float joined;
    const T *row = x + blockIdx.x * xs, *factor = w + blockIdx.x * ws;
    T* out = y + blockIdx.x * ys;
    float mine = -INFINITY;
    for (int64_t c = threadIdx.x; c < cols; c += 64) mine = fmaxf(mine, (float)row[c]);
    found[threadIdx.x] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int t = 1; t < 64; ++t) mine = fmaxf(mine, found[t]);
        joined = mine;
    }
    __syncthreads();
    const float top = joined;
    mine = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += 64) mine += expf((float)row[c] - top);
    found[threadIdx.x] = mine;
    __syncthreads();
    if (threadIdx.x == 63) {
        for (int t = 62; t >= 0; --t) mine += found[t];
        joined = logf(mine);
    }
    __syncthreads();
    for (int64_t c = cols - 1 - threadIdx.x; c >= 0; c -= 64) out[c] = (T)((float)factor[c] * expf(((float)row[c] - top) - joined));
}

template <typename T>
cudaError_t run(const T* x, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys, cudaStream_t stream) {
    if (!rows || !cols) return cudaSuccess;
    kernel<<<(unsigned)rows, 64, 0, stream>>>(x, w, y, cols, xs, ws, ys);
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
