// exercise: softmax_naive
// unusual: one thread per output; where each row begins is listed in managed memory, which the host fills, waits for and frees
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

struct Row { const float* in; float* out; };

__global__ void softmax(const Row* list, int64_t rows, int64_t cols) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * cols) return;
    const Row row = list[i / cols];
    float m = -INFINITY, s = 0;
    for (int64_t j = 0; j < cols; ++j) m = fmaxf(m, row.in[j]);
    for (int64_t j = 0; j < cols; ++j) s += expf(row.in[j] - m);
    row.out[i % cols] = expf(row.in[i % cols] - m) / s;
}
extern "C" cudaError_t softmax_naive(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    constexpr int64_t kListed = 4096;
    Row* list = nullptr;
    cudaError_t e = cudaMallocManaged(&list, kListed * sizeof(Row));
    if (e != cudaSuccess) return e;
    for (int64_t first = 0; first < rows && e == cudaSuccess; first += kListed) {
        const int64_t some = rows - first < kListed ? rows - first : kListed;
        for (int64_t r = 0; r < some; ++r) list[r] = Row{x + (first + r) * x_row_stride, y + (first + r) * y_row_stride};
        softmax<<<(unsigned)((some * cols + 255) / 256), 256, 0, stream>>>(list, some, cols);
        e = cudaGetLastError();
        if (e == cudaSuccess) e = cudaStreamSynchronize(stream);   // before the host writes the list again
    }
    const cudaError_t freed = cudaFree(list);
    return e != cudaSuccess ? e : freed;
}
