// exercise: softmax_mul
// unusual: 2 to 32 lanes a row, a power of two that a recursion of templates finds for the columns; shuffles with their width argument; long rows by turns of a warp
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

template <typename T> struct Three { const T *x, *w; T* y; int64_t rows, cols, xs, ws, ys; };
template <typename T, int kLanes> __global__ void __launch_bounds__(128) segments(Three<T> t) {
    const int64_t row = ((int64_t)blockIdx.x * 128 + threadIdx.x) / kLanes;
    const int lane = threadIdx.x % kLanes;
    const bool there = row < t.rows;   // lanes without a row stay: the shuffles name all 32
    const T* x = t.x + (there ? row * t.xs : 0);
    float m = -INFINITY, s = 0.0f;
    if (there) for (int64_t c = lane; c < t.cols; c += kLanes) m = fmaxf(m, (float)x[c]);
#pragma unroll
    for (int o = kLanes / 2; o; o /= 2) m = fmaxf(m, __shfl_down_sync(0xffffffffu, m, o, kLanes));
    m = __shfl_sync(0xffffffffu, m, 0, kLanes);
    if (there) for (int64_t c = lane; c < t.cols; c += kLanes) s += expf((float)x[c] - m);
#pragma unroll
    for (int o = 1; o < kLanes; o *= 2) {
        const float below = __shfl_up_sync(0xffffffffu, s, o, kLanes);
        if (lane >= o) s += below;
    }
    s = __shfl_sync(0xffffffffu, s, kLanes - 1, kLanes);
    if (there) for (int64_t c = lane; c < t.cols; c += kLanes) t.y[row * t.ys + c] = T(expf((float)x[c] - m) / s * (float)t.w[row * t.ws + c]);
}
template <typename T, int kLanes = 2> cudaError_t fitting(const Three<T>& t, cudaStream_t stream) {
    if constexpr (kLanes < 32) {
        if (t.cols > 4 * kLanes) return fitting<T, 2 * kLanes>(t, stream);
    }
    segments<T, kLanes><<<(unsigned)((t.rows * kLanes + 127) / 128), 128, 0, stream>>>(t);
    return cudaGetLastError();
}
#define LAUNCHER(name, T) extern "C" cudaError_t name(const T* x, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys, cudaStream_t s) { return rows > 0 && cols > 0 ? fitting<T>({x, w, y, rows, cols, xs, ws, ys}, s) : cudaSuccess; }
LAUNCHER(softmax_mul, float)
LAUNCHER(softmax_mul_f16, __half)
LAUNCHER(softmax_mul_bf16, __nv_bfloat16)
