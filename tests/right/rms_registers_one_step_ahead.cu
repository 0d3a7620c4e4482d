// exercise: rmsnorm
// unusual: a warp a row; while eight elements are squared, the next eight are on their way into a second set of registers; lane numbers and masks from PTX
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kEach = 8;
__device__ __forceinline__ unsigned lane_id() { unsigned l; asm("mov.u32 %0, %%laneid;" : "=r"(l)); return l; }
template <typename T> struct Eight {
    float v[kEach];
    __device__ void load(const T* x, const T* r, int64_t first, int64_t cols) {
#pragma unroll
        for (int e = 0; e < kEach; ++e) {
            const int64_t c = first + e * 32;
            v[e] = c < cols ? (float)x[c] + (float)r[c] : 0.0f;
        }
    }
    __device__ float squares() const {
        float s = 0.0f;
#pragma unroll
        for (int e = 0; e < kEach; ++e) s = __fmaf_rn(v[e], v[e], s);
        return s;
    }
};
template <typename T> __global__ void __launch_bounds__(128, 8) rms(const T* __restrict__ x, const T* __restrict__ r, const T* __restrict__ w, T* __restrict__ y, int64_t rows, int64_t cols, int64_t xs, int64_t rs, int64_t ys, float eps) {
    const unsigned lane = lane_id();
    const int64_t row = (int64_t)blockIdx.x * 4 + threadIdx.x / 32, step = 32 * kEach;
    if (row >= rows) return;
    const T* xr = x + row * xs;
    const T* rr = r + row * rs;
    Eight<T> now, next;
    now.load(xr, rr, lane, cols);
    float s = 0.0f;
    for (int64_t first = lane; first < cols; first += step) {
        next.load(xr, rr, first + step, cols);
        s += now.squares();
        now = next;
    }
    for (int o = 16; o; o >>= 1) s = __fadd_rn(s, __shfl_xor_sync(0xffffffffu, s, o));
    const float factor = __frsqrt_rn(__fadd_rn(__fdiv_rn(s, (float)cols), eps));
    now.load(xr, rr, lane, cols);
    for (int64_t first = lane; first < cols; first += step) {
        next.load(xr, rr, first + step, cols);
#pragma unroll
        for (int e = 0; e < kEach; ++e) {
            const int64_t c = first + e * 32;
            if (c < cols) y[row * ys + c] = T(now.v[e] * factor * (float)w[c]);
        }
        now = next;
    }
}
template <typename T> cudaError_t launch(const T* x, const T* r, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t rs, int64_t ys, float eps, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    rms<<<(unsigned)((rows + 3) / 4), 128, 0, stream>>>(x, r, w, y, rows, cols, xs, rs, ys, eps);
    return cudaGetLastError();
}
#define LAUNCHER(name, T) extern "C" cudaError_t name(const T* x, const T* r, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t rs, int64_t ys, float eps, cudaStream_t s) { return launch(x, r, w, y, rows, cols, xs, rs, ys, eps, s); }
LAUNCHER(rmsnorm, float)
LAUNCHER(rmsnorm_f16, __half)
LAUNCHER(rmsnorm_bf16, __nv_bfloat16)
