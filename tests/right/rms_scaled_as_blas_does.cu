// exercise: rmsnorm
// unusual: a pair of a scale and a sum of squares over it, as BLAS's nrm2 keeps them, so that no square overflows; joined by an operator over __shfl_down_sync
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

struct Norm {
    float scale, squares;   // the sum of squares is scale^2 * squares
    __device__ Norm& operator<<(float h) {
        const float size = fabsf(h);
        if (!isfinite(size)) return *this;   // counted by whoever walks the row
        if (size > scale) {
            const float q = scale / size;
            squares = 1.0f + squares * q * q;
            scale = size;
        } else if (size > 0.0f) {
            const float q = size / scale;
            squares += q * q;
        }
        return *this;
    }
    __device__ Norm operator+(Norm other) const {
        const Norm& large = scale >= other.scale ? *this : other;
        const Norm& small = scale >= other.scale ? other : *this;
        if (large.scale == 0.0f) return {0.0f, 0.0f};
        const float q = small.scale / large.scale;
        return {large.scale, large.squares + small.squares * q * q};
    }
    __device__ double mean(int64_t n) const { return (double)scale * scale * squares / n; }
};
constexpr int kThreads = 256;
template <typename T> __global__ void rms(const T* x, const T* r, const T* w, T* y, int64_t cols, int64_t xs, int64_t rs, int64_t ys, float eps) {
    __shared__ Norm of_warp[kThreads / 32];
    x += blockIdx.x * xs;
    r += blockIdx.x * rs;
    y += blockIdx.x * ys;
    Norm norm{0.0f, 0.0f};
    bool nan = false, infinite = false;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
        const float h = (float)x[c] + (float)r[c];
        nan |= isnan(h);
        infinite |= isinf(h);
        norm << h;
    }
    for (int o = 16; o; o /= 2) {
        const Norm other{__shfl_down_sync(~0u, norm.scale, o), __shfl_down_sync(~0u, norm.squares, o)};
        norm = norm + other;
    }
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = norm;
    nan = __syncthreads_or(nan);
    infinite = __syncthreads_or(infinite);
    norm = of_warp[0];
    for (int i = 1; i < kThreads / 32; ++i) {
        const Norm other = of_warp[i];
        norm = norm + other;
    }
    double mean = norm.mean(cols);
    if (nan) mean = NAN;
    else if (infinite) mean = INFINITY;
    const double factor = 1.0 / sqrt(mean + (double)eps);
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) y[c] = T((float)((double)((float)x[c] + (float)r[c]) * factor * (double)(float)w[c]));
}
template <typename T> cudaError_t launch(const T* x, const T* r, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t rs, int64_t ys, float eps, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    rms<<<(unsigned)rows, kThreads, 0, stream>>>(x, r, w, y, cols, xs, rs, ys, eps);
    return cudaGetLastError();
}
#define LAUNCHER(name, T) extern "C" cudaError_t name(const T* x, const T* r, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t rs, int64_t ys, float eps, cudaStream_t s) { return launch(x, r, w, y, rows, cols, xs, rs, ys, eps, s); }
LAUNCHER(rmsnorm, float)
LAUNCHER(rmsnorm_f16, __half)
LAUNCHER(rmsnorm_bf16, __nv_bfloat16)
