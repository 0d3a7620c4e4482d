// exercise: softmax_block
// unusual: persistent blocks take rows from an atomic counter in memory of the stream's pool
#include <cuda_runtime.h>
#include <stdint.h>
#include <math.h>

constexpr int T = 96;
__device__ float both(float v, bool maximum, float* s) {
    for (int o = 16; o; o >>= 1) { float u = __shfl_down_sync(~0u, v, o); v = maximum ? fmaxf(v, u) : v + u; }
    if (!(threadIdx.x & 31)) s[threadIdx.x >> 5] = v;
    __syncthreads();
    v = maximum ? fmaxf(fmaxf(s[0], s[1]), s[2]) : s[0] + s[1] + s[2];
    __syncthreads();
    return v;
}
__global__ void softmax(const float* x, float* y, long long rows, int64_t cols, int64_t xs, int64_t ys, unsigned long long* next) {
    __shared__ float s[3];
    __shared__ long long row;
    for (;;) {
        if (threadIdx.x == 0) row = (long long)atomicAdd(next, 1ull);
        __syncthreads();
        const long long r = row;
        __syncthreads();
        if (r >= rows) return;
        float m = -INFINITY, sum = 0.0f;
        for (int64_t c = threadIdx.x; c < cols; c += T) m = fmaxf(m, x[r * xs + c]);
        m = both(m, true, s);
        for (int64_t c = threadIdx.x; c < cols; c += T) sum += expf(x[r * xs + c] - m);
        sum = both(sum, false, s);
        for (int64_t c = threadIdx.x; c < cols; c += T) y[r * ys + c] = expf(x[r * xs + c] - m) * (1.0f / sum);
    }
}
extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    unsigned long long* next;
    cudaError_t e = cudaMallocAsync(&next, sizeof *next, stream);
    if (e == cudaSuccess) e = cudaMemsetAsync(next, 0, sizeof *next, stream);
    if (e != cudaSuccess) return e;
    softmax<<<(unsigned)(rows < 40 ? rows : 40), T, 0, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride, next);
    e = cudaGetLastError();
    cudaError_t f = cudaFreeAsync(next, stream);
    return e != cudaSuccess ? e : f;
}
