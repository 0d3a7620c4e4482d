// exercise: softmax_tuned
// bug: the maximum begins at -65504, the lowest number of fp16: a float and a bfloat16 may lie below
// caught: nan
// group: range
// cause: softmax-max-start
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kWarps = 8;

template <typename T>
__global__ void warp_softmax(const T* x, T* y, int64_t rows, int64_t cols, int64_t x_stride, int64_t y_stride) {
    const int lane = threadIdx.x % 32;
    const int64_t row = (int64_t)blockIdx.x * kWarps + threadIdx.x / 32;
    if (row >= rows) return;
    const T* src = x + row * x_stride;
    T* dst = y + row * y_stride;
    float top = -65504.0f;
    for (int64_t c = lane; c < cols; c += 32) top = fmaxf(top, (float)src[c]);
    for (int d = 16; d > 0; d /= 2) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, d));
    float sum = 0.0f;
    for (int64_t c = lane; c < cols; c += 32) sum += expf((float)src[c] - top);
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    const float scale = 1.0f / sum;
    for (int64_t c = lane; c < cols; c += 32) dst[c] = (T)(expf((float)src[c] - top) * scale);
}

template <typename T>
cudaError_t launch(const T* x, T* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    const int64_t blocks = (rows + kWarps - 1) / kWarps;
    warp_softmax<<<(unsigned)blocks, 32 * kWarps, 0, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}

extern "C" cudaError_t softmax_tuned(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride,
                                     int64_t y_row_stride, cudaStream_t stream) {
    return launch(x, y, rows, cols, x_row_stride, y_row_stride, stream);
}

extern "C" cudaError_t softmax_tuned_f16(const __half* x, __half* y, int64_t rows, int64_t cols, int64_t x_row_stride,
                                         int64_t y_row_stride, cudaStream_t stream) {
    return launch(x, y, rows, cols, x_row_stride, y_row_stride, stream);
}

extern "C" cudaError_t softmax_tuned_bf16(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t rows, int64_t cols,
                                          int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    return launch(x, y, rows, cols, x_row_stride, y_row_stride, stream);
}
