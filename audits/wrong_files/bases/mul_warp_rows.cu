// softmax(x) * w: a warp for each row of up to 1024 columns, four rows per block; a block for each longer row.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kWarpsPerBlock = 4;
constexpr int kShort = 1024;
constexpr int kLongThreads = 256;

template <typename T>
__global__ void by_warps(const T* x, const T* w, T* y, int64_t rows, int cols, int64_t xs, int64_t ws, int64_t ys) {
    const int lane = threadIdx.x, warp = threadIdx.y;
    const int64_t row = (int64_t)blockIdx.x * kWarpsPerBlock + warp;
    if (row >= rows) return;
    const T* x_row = x + row * xs;
    const T* w_row = w + row * ws;
    T* y_row = y + row * ys;
    float e[kShort / 32];
    float top = -INFINITY;
    for (int k = 0; k < kShort / 32; ++k) {
        const int c = lane + 32 * k;
        e[k] = c < cols ? (float)x_row[c] : -INFINITY;
        top = fmaxf(top, e[k]);
    }
    for (int d = 1; d < 32; d *= 2) top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, d));
    float sum = 0.0f;
    for (int k = 0; k < kShort / 32; ++k) {
        const int c = lane + 32 * k;
        e[k] = c < cols ? expf(e[k] - top) : 0.0f;
        sum += e[k];
    }
    for (int d = 1; d < 32; d *= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    for (int k = 0; k < kShort / 32; ++k) {
        const int c = lane + 32 * k;
        if (c < cols) y_row[c] = (T)(e[k] / sum * (float)w_row[c]);
    }
}

__device__ float reduce(float v, float* shared, bool maximum) {
    const int t = threadIdx.x;
    shared[t] = v;
    __syncthreads();
    for (int half = kLongThreads / 2; half >= 1; half /= 2) {
        if (t < half) shared[t] = maximum ? fmaxf(shared[t], shared[t + half]) : shared[t] + shared[t + half];
        __syncthreads();
    }
    v = shared[0];
    __syncthreads();
    return v;
}

template <typename T>
__global__ void by_block(const T* x, const T* w, T* y, int64_t cols, int64_t xs, int64_t ws, int64_t ys) {
    __shared__ float shared[kLongThreads];
    x += blockIdx.x * xs;
    w += blockIdx.x * ws;
    y += blockIdx.x * ys;
    float top = -INFINITY;
    for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) top = fmaxf(top, (float)x[c]);
    top = reduce(top, shared, true);
    float sum = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) sum += expf((float)x[c] - top);
    sum = reduce(sum, shared, false);
    for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) y[c] = (T)(expf((float)x[c] - top) / sum * (float)w[c]);
}

template <typename T>
static cudaError_t launch(const T* x, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys,
                          cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    if (cols <= kShort) {
        const dim3 threads(32, kWarpsPerBlock);
        const unsigned blocks = (unsigned)((rows + kWarpsPerBlock - 1) / kWarpsPerBlock);
        by_warps<T><<<blocks, threads, 0, stream>>>(x, w, y, rows, (int)cols, xs, ws, ys);
    } else {
        by_block<T><<<(unsigned)rows, kLongThreads, 0, stream>>>(x, w, y, cols, xs, ws, ys);
    }
    return cudaGetLastError();
}

extern "C" cudaError_t softmax_mul(const float* x, const float* w, float* y, int64_t rows, int64_t cols,
                                   int64_t x_row_stride, int64_t w_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    return launch<float>(x, w, y, rows, cols, x_row_stride, w_row_stride, y_row_stride, stream);
}
extern "C" cudaError_t softmax_mul_f16(const __half* x, const __half* w, __half* y, int64_t rows, int64_t cols,
                                       int64_t x_row_stride, int64_t w_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    return launch<__half>(x, w, y, rows, cols, x_row_stride, w_row_stride, y_row_stride, stream);
}
extern "C" cudaError_t softmax_mul_bf16(const __nv_bfloat16* x, const __nv_bfloat16* w, __nv_bfloat16* y, int64_t rows, int64_t cols,
                                        int64_t x_row_stride, int64_t w_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    return launch<__nv_bfloat16>(x, w, y, rows, cols, x_row_stride, w_row_stride, y_row_stride, stream);
}
