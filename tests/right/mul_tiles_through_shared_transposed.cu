// exercise: softmax_mul
// unusual: 32 rows per block in tiles of 32 x 33 of shared memory: loads along the row, statistics down the columns by a thread per row, online
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kSide = 32;
template <typename T> __global__ void __launch_bounds__(kSide * 8) fused(const T* x, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys) {
    __shared__ float tile[kSide][kSide + 1];
    __shared__ float tops[kSide], sums[kSide];
    const int64_t row0 = (int64_t)blockIdx.x * kSide;
    const int i = threadIdx.x, j = threadIdx.y;
    float m = -INFINITY, s = 0.0f;   // of row i, where j is 0
    for (int64_t c0 = 0; c0 < cols; c0 += kSide) {
        for (int r = j; r < kSide; r += 8) tile[r][i] = row0 + r < rows && c0 + i < cols ? (float)x[(row0 + r) * xs + c0 + i] : -INFINITY;
        __syncthreads();
        if (j == 0) {
            const int wide = cols - c0 < kSide ? (int)(cols - c0) : kSide;
            float top = m;
            for (int c = 0; c < wide; ++c) top = fmaxf(top, tile[i][c]);
            const float base = top == -INFINITY ? 0.0f : top;
            s *= expf(m - base);
            for (int c = 0; c < wide; ++c) s += expf(tile[i][c] - base);
            m = top;
        }
        __syncthreads();
    }
    if (j == 0) {
        tops[i] = m;
        sums[i] = s;
    }
    __syncthreads();
    for (int64_t c = i; c < cols; c += kSide)
        for (int r = j; r < kSide && row0 + r < rows; r += 8) {
            const float e = expf((float)x[(row0 + r) * xs + c] - tops[r]);
            y[(row0 + r) * ys + c] = T(e / sums[r] * (float)w[(row0 + r) * ws + c]);
        }
}
template <typename T> cudaError_t launch(const T* x, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    fused<<<(unsigned)((rows + kSide - 1) / kSide), dim3(kSide, 8), 0, stream>>>(x, w, y, rows, cols, xs, ws, ys);
    return cudaGetLastError();
}
#define LAUNCHER(name, T) extern "C" cudaError_t name(const T* x, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys, cudaStream_t s) { return launch(x, w, y, rows, cols, xs, ws, ys, s); }
LAUNCHER(softmax_mul, float)
LAUNCHER(softmax_mul_f16, __half)
LAUNCHER(softmax_mul_bf16, __nv_bfloat16)
