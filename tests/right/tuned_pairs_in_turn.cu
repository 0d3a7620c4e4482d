// exercise: softmax_tuned
// unusual: short rows by warps, longer ones by blocks that take some in turn, with pairs of a maximum and a sum
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

// The maximum and the sum of a row, as far as a thread has come.
struct Pair {
    float top = -INFINITY, sum = 0.0f;
    __device__ void add(Pair o) {
        const float higher = fmaxf(top, o.top), from = higher == -INFINITY ? 0.0f : higher;
        sum = sum * expf(top - from) + o.sum * expf(o.top - from);
        top = higher;
    }
};

__device__ Pair joined(Pair p) {
    for (int lanes = 16; lanes; lanes >>= 1) {
        Pair o;
        o.top = __shfl_xor_sync(~0u, p.top, lanes);
        o.sum = __shfl_xor_sync(~0u, p.sum, lanes);
        p.add(o);
    }
    return p;
}

template <typename T> __global__ void by_warps(const T* x, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys) {
    const int64_t step = (int64_t)gridDim.x * 8;
    for (int64_t row = (int64_t)blockIdx.x * 8 + threadIdx.x / 32; row < rows; row += step) {
        const T* from = x + row * xs;
        T* to = y + row * ys;
        Pair p;
        for (int64_t c = threadIdx.x % 32; c < cols; c += 32) p.add({(float)from[c], 1.0f});
        p = joined(p);
        for (int64_t c = threadIdx.x % 32; c < cols; c += 32) to[c] = (T)(expf((float)from[c] - p.top) / p.sum);
    }
}

template <typename T> __global__ void by_blocks(const T* x, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys) {
    __shared__ Pair pairs[16];
    if (threadIdx.x < 16) pairs[threadIdx.x] = Pair();
    __syncthreads();
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const int64_t at = row * xs;
        T* to = y + row * ys;
        Pair p;
        for (int64_t c = threadIdx.x; c < cols; c += 512) p.add({(float)x[at + c], 1.0f});
        p = joined(p);
        if (threadIdx.x % 32 == 0) pairs[threadIdx.x / 32] = p;
        __syncthreads();
        Pair all;
        for (int w = 0; w < 16; w++) all.add(pairs[w]);
        for (int64_t c = threadIdx.x; c < cols; c += 512) to[c] = (T)(expf((float)x[at + c] - all.top) / all.sum);
        __syncthreads();
    }
}

template <typename T> cudaError_t run(const T* x, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    if (cols <= 1024) {
        const int64_t blocks = (rows + 7) / 8;
        by_warps<<<(unsigned)(blocks < 1 << 24 ? blocks : 1 << 24), 256, 0, stream>>>(x, y, rows, cols, xs, ys);
    } else {
        by_blocks<<<(unsigned)(rows < 1056 ? rows : 1056), 512, 0, stream>>>(x, y, rows, cols, xs, ys);
    }
    return cudaGetLastError();
}

#define LAUNCHER(name, T)                                                                                                \
    extern "C" cudaError_t name(const T* x, T* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, \
                                cudaStream_t stream) {                                                                   \
        return run(x, y, rows, cols, x_row_stride, y_row_stride, stream);                                                \
    }
LAUNCHER(softmax_tuned, float)
LAUNCHER(softmax_tuned_f16, __half)
LAUNCHER(softmax_tuned_bf16, __nv_bfloat16)
