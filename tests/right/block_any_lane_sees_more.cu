// exercise: softmax_block
// unusual: a warp a row, online; the maximum is looked for only where a vote says that a lane sees more
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void soft(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys) {
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const float* p = x + row * xs;
        float* q = y + row * ys;
        float m = -INFINITY, s = 0;
        for (int64_t base = 0; base < cols; base += 32) {
            const int64_t c = base + threadIdx.x;
            const float v = c < cols ? p[c] : -INFINITY;
            if (__any_sync(~0u, !(v <= m))) {
                float t = v;
                for (int d = 16; d; d /= 2) {
                    const float o = __shfl_xor_sync(~0u, t, d);
                    t = isnan(t) || isnan(o) ? NAN : fmaxf(t, o);
                }
                if (!(t <= m)) {
                    s = m == -INFINITY ? 0 : s * expf(m - t);
                    m = t;
                }
            }
            if (c < cols && v != -INFINITY) s += expf(v - m);
            if (isnan(m)) s = m;
        }
        for (int d = 16; d; d /= 2) s += __shfl_xor_sync(~0u, s, d);
        for (int64_t c = threadIdx.x; c < cols; c += 32) q[c] = expf(p[c] - m) / s;
    }
}
extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    soft<<<(unsigned)min(rows, (int64_t)2048), 32, 0, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
