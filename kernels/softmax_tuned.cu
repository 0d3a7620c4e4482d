// softmax_tuned: row softmax at the speed of a copy, in fp32, fp16 and bf16, for any rows, columns, row strides and alignment.
//
// Check: onekernel check softmax_tuned
// Bench: onekernel bench softmax_tuned
// Work: row per block
//
// Yours to design. Begin with what softmax_block does, make it right for the three element types, then make it faster one step at a time:
// predict, change, measure, explain, and write each step down in tuning_log.md. solutions/ladder/ holds a technique a file.
//
// The idea: ...
// Ledger: reads ?, writes ?
// But: ...

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

template <typename T>
__global__ void softmax_kernel(const T* x, T* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride) {
    // TODO: compute in float, whatever T is: float v = (float)x[...], and y[...] = (T)v.
    (void)x; (void)y; (void)rows; (void)cols; (void)x_row_stride; (void)y_row_stride;
}

template <typename T> struct Rows {
    const T* x;
    T* y;
    int64_t rows, cols, x_row_stride, y_row_stride;
    cudaStream_t stream;
};

template <typename T> cudaError_t softmax(const Rows<T>& r) {
    if (r.rows <= 0 || r.cols <= 0) return cudaSuccess;
    // TODO: how many blocks of how many threads? Need it be the same for 100 columns and for 100000?
    softmax_kernel<T><<<1, 256, 0, r.stream>>>(r.x, r.y, r.rows, r.cols, r.x_row_stride, r.y_row_stride);
    return cudaGetLastError();
}

extern "C" cudaError_t softmax_tuned(const float* x, float* y, int64_t rows, int64_t cols,
                                     int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    return softmax<float>({x, y, rows, cols, x_row_stride, y_row_stride, stream});
}

extern "C" cudaError_t softmax_tuned_f16(const __half* x, __half* y, int64_t rows, int64_t cols,
                                         int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    return softmax<__half>({x, y, rows, cols, x_row_stride, y_row_stride, stream});
}

extern "C" cudaError_t softmax_tuned_bf16(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t rows, int64_t cols,
                                          int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    return softmax<__nv_bfloat16>({x, y, rows, cols, x_row_stride, y_row_stride, stream});
}
