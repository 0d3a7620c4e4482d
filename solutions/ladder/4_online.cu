// ladder_online: row softmax, maximum and sum in one pass over the row.
//
// Check: python -m pytest tests/grading/test_cuda_solutions.py -k 4_online
// Bench: onekernel bench ladder/4_online
//
// The new idea: keep a running maximum m and the sum s of exp(x - m). When a larger element comes, the terms so far were scaled by the
// wrong maximum, all by the same factor: s * exp(old m - new m) mends them. Two such pairs join in the same way, whatever parts of the
// row they come from. This is the online normaliser (Milakov and Gimelshein, arXiv:1805.02867). One pass of three is gone.
//
// Work: row per block
// Ledger: reads 2, writes 1
// But: every access is of 4 bytes, and a thread waits for each load before it asks for the next, because the next m depends on it.

#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int64_t kMostBlocks = 2147483647;

struct Part {   // of a row: its largest element, and the sum of exp(x - max) over it
    float max;
    float sum;
};

__device__ Part join(Part a, Part b) {
    const float m = fmaxf(a.max, b.max);
    if (m == -INFINITY) return {m, a.sum + b.sum};   // nothing seen yet, or -inf alone: exp(-inf - -inf) would be NaN
    return {m, a.sum * expf(a.max - m) + b.sum * expf(b.max - m)};
}

__device__ Part warp_join(Part p) {
    for (int step = 16; step > 0; step /= 2) {
        p = join(p, {__shfl_xor_sync(0xffffffff, p.max, step), __shfl_xor_sync(0xffffffff, p.sum, step)});
    }
    return p;
}

__global__ void online_kernel(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride) {
    __shared__ Part parts[2][kWarps];   // two, in turn: a warp may be a row ahead of another, never two
    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    int turn = 0;
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const float* x_row = x + row * x_row_stride;
        float* y_row = y + row * y_row_stride;
        Part part = {-INFINITY, 0.0f};
        for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
            const float v = x_row[c];
            if (v > part.max) {
                part.sum = part.sum * expf(part.max - v) + (v - v + 1.0f);   // exp(v - v): 1, but NaN for +inf
                part.max = v;
            } else if (v != -INFINITY) {
                part.sum += expf(v - part.max);   // a NaN comes here, too, and stays in the sum
            }
        }
        part = warp_join(part);
        if (lane == 0) parts[turn][warp] = part;
        __syncthreads();
        part = warp_join(lane < kWarps ? parts[turn][lane] : Part{-INFINITY, 0.0f});
        turn ^= 1;
        for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
            y_row[c] = expf(x_row[c] - part.max) / part.sum;
        }
    }
}

extern "C" cudaError_t ladder_online(const float* x, float* y, int64_t rows, int64_t cols,
                                     int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    const unsigned blocks = (unsigned)(rows < kMostBlocks ? rows : kMostBlocks);
    online_kernel<<<blocks, kThreads, 0, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
