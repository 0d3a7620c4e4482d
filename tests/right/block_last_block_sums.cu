// exercise: softmax_block
// unusual: the last-block idiom: a fence, an atomic counter, and a reader of what other blocks wrote
#include <cuda_runtime.h>
#include <stdint.h>

// Each row is split over kParts blocks; the last one to finish joins their results (fence and atomic counter).
constexpr int kParts = 3, kMostRows = 4096;
__device__ float part_max[kMostRows][kParts], part_sum[kMostRows][kParts];
__device__ unsigned arrived[kMostRows];

__global__ void softmax(const float* x, float* y, int64_t first, int64_t cols, int64_t xs, int64_t ys) {
    const int64_t local = blockIdx.x / kParts, r = first + local;
    const int part = blockIdx.x % kParts;
    float m = -INFINITY, s = 0;
    for (int64_t c = part; c < cols; c += kParts) m = fmaxf(m, x[r * xs + c]);
    for (int64_t c = part; c < cols; c += kParts) s += expf(x[r * xs + c] - m);
    part_max[local][part] = m;
    part_sum[local][part] = s;
    __threadfence();
    if (atomicAdd(&arrived[local], 1u) != kParts - 1) return;
    __threadfence();
    arrived[local] = 0;  // for the next launch
    float all = -INFINITY, total = 0;
    for (int k = 0; k < kParts; k++) all = fmaxf(all, part_max[local][k]);
    for (int k = 0; k < kParts; k++)
        if (part_max[local][k] != -INFINITY || all == -INFINITY) total += part_sum[local][k] * expf(part_max[local][k] - all);
    for (int64_t c = 0; c < cols; c++) y[r * ys + c] = expf(x[r * xs + c] - all) / total;
}

extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols,
                                     int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (cols == 0) return cudaSuccess;
    for (int64_t first = 0; first < rows; first += kMostRows) {
        int64_t some = rows - first < kMostRows ? rows - first : kMostRows;
        softmax<<<(unsigned)(some * kParts), 1, 0, stream>>>(x, y, first, cols, x_row_stride, y_row_stride);
    }
    return cudaGetLastError();
}
