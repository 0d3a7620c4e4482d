// exercise: rmsnorm
// bug: the last 16 bytes of a row are taken whole where the row ends within them
// group: strides, long
// caught: out-of-bounds-read, nan, values
// cause: stride-last-vector
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

template <typename T> struct Rows {
    const T *x, *residual, *weight;
    T* y;
    int64_t rows, cols, xs, rs, ys;
    float eps;
};

template <typename T> struct alignas(16) Piece {
    static constexpr int kCount = 16 / sizeof(T);
    T at[kCount];
};

__device__ float summed(float v) {
    for (int lanes = 16; lanes; lanes >>= 1) v += __shfl_xor_sync(~0u, v, lanes);
    return v;
}

// A warp for each row, in pieces of 16 bytes where rows begin on them.
template <typename T> __global__ void by_warps(Rows<T> p, bool wide) {
    const int lane = threadIdx.x % 32;
    const int64_t step = (int64_t)gridDim.x * (blockDim.x / 32);
    for (int64_t row = (int64_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; row < p.rows; row += step) {
        const T *x = p.x + row * p.xs, *r = p.residual + row * p.rs;
        T* y = p.y + row * p.ys;
        constexpr int kCount = Piece<T>::kCount;
        const int64_t pieces = wide ? (p.cols + kCount - 1) / kCount : 0;
        float squares = 0.0f;
        for (int64_t v = lane; v < pieces; v += 32) {
            const Piece<T> a = ((const Piece<T>*)x)[v], b = ((const Piece<T>*)r)[v];
            for (int k = 0; k < kCount; k++) {
                const float h = (float)a.at[k] + (float)b.at[k];
                squares += h * h;
            }
        }
        for (int64_t c = pieces * kCount + lane; c < p.cols; c += 32) {
            const float h = (float)x[c] + (float)r[c];
            squares += h * h;
        }
        const float scale = rsqrtf(summed(squares) / (float)p.cols + p.eps);
        for (int64_t c = lane; c < p.cols; c += 32) y[c] = (T)(((float)x[c] + (float)r[c]) * scale * (float)p.weight[c]);
    }
}

// A block for some rows, one after the other.
template <typename T> __global__ void by_blocks(Rows<T> p) {
    __shared__ float sums[32];
    for (int64_t row = blockIdx.x; row < p.rows; row += gridDim.x) {
        const T *x = p.x + row * p.xs, *r = p.residual + row * p.rs;
        T* y = p.y + row * p.ys;
        float squares = 0.0f;
        for (int64_t c = threadIdx.x; c < p.cols; c += blockDim.x) {
            const float h = (float)x[c] + (float)r[c];
            squares += h * h;
        }
        squares = summed(squares);
        __syncthreads();  // the row before has been read by all
        if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = squares;
        __syncthreads();
        float total = 0.0f;
        for (int w = 0; w < (int)blockDim.x / 32; w++) total += sums[w];
        const float scale = rsqrtf(total / (float)p.cols + p.eps);
        for (int64_t c = threadIdx.x; c < p.cols; c += blockDim.x)
            y[c] = (T)(((float)x[c] + (float)r[c]) * scale * (float)p.weight[c]);
    }
}

template <typename T> cudaError_t run(Rows<T> p, cudaStream_t stream) {
    if (p.rows <= 0 || p.cols <= 0) return cudaSuccess;
    if (p.cols <= 2048) {
        constexpr int kCount = Piece<T>::kCount;
        const bool wide = (uintptr_t)p.x % 16 == 0 && (uintptr_t)p.residual % 16 == 0 && p.xs % kCount == 0 && p.rs % kCount == 0;
        const int64_t blocks = (p.rows + 7) / 8;
        by_warps<<<(unsigned)(blocks < 1 << 24 ? blocks : 1 << 24), 256, 0, stream>>>(p, wide);
    } else {
        by_blocks<<<(unsigned)(p.rows < 528 ? p.rows : 528), 512, 0, stream>>>(p);
    }
    return cudaGetLastError();
}

#define LAUNCHER(name, T)                                                                                                \
    extern "C" cudaError_t name(const T* x, const T* residual, const T* weight, T* y, int64_t rows, int64_t cols,        \
                                int64_t x_row_stride, int64_t residual_row_stride, int64_t y_row_stride, float eps,      \
                                cudaStream_t stream) {                                                                   \
        return run(Rows<T>{x, residual, weight, y, rows, cols, x_row_stride, residual_row_stride, y_row_stride, eps},    \
                   stream);                                                                                              \
    }
LAUNCHER(rmsnorm, float)
LAUNCHER(rmsnorm_f16, __half)
LAUNCHER(rmsnorm_bf16, __nv_bfloat16)
