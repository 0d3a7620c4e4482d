// exercise: rmsnorm
// bug: the mean's square is subtracted under the root
// group: shapes
// caught: values, nan
// cause: rms-variance
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

template <typename T>
__global__ void rms_kernel(const T* x, const T* r, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t rs, int64_t ys, float eps) {
    __shared__ float warp_sum[8];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const T* px = x + row * xs;
        const T* pr = r + row * rs;
        float s = 0.0f;
        for (int64_t c = threadIdx.x; c < cols; c += 256) {
            float h = (float)px[c] + (float)pr[c];
            s += h * h;
        }
        for (int o = 16; o > 0; o /= 2) s += __shfl_down_sync(~0u, s, o);
        if (lane == 0) warp_sum[warp] = s;
        __syncthreads();
        float total = 0.0f;
        for (int i = 0; i < 8; i++) total += warp_sum[i];
        __syncthreads();
        float mean = 0.0f;
        for (int64_t c = 0; c < cols; c++) mean += (float)px[c] + (float)pr[c];
        mean /= cols;
        float inv = rsqrtf(total / (float)cols - mean * mean + eps);
        for (int64_t c = threadIdx.x; c < cols; c += 256)
            y[row * ys + c] = (T)(((float)px[c] + (float)pr[c]) * inv * (float)w[c]);
    }
}
template <typename T>
static cudaError_t go(const T* x, const T* r, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t rs, int64_t ys, float eps, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    rms_kernel<T><<<(unsigned)(rows < 4096 ? rows : 4096), 256, 0, stream>>>(x, r, w, y, rows, cols, xs, rs, ys, eps);
    return cudaGetLastError();
}
extern "C" cudaError_t rmsnorm(const float* x, const float* r, const float* w, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t rs, int64_t ys, float eps, cudaStream_t s) { return go(x, r, w, y, rows, cols, xs, rs, ys, eps, s); }
extern "C" cudaError_t rmsnorm_f16(const __half* x, const __half* r, const __half* w, __half* y, int64_t rows, int64_t cols, int64_t xs, int64_t rs, int64_t ys, float eps, cudaStream_t s) { return go(x, r, w, y, rows, cols, xs, rs, ys, eps, s); }
extern "C" cudaError_t rmsnorm_bf16(const __nv_bfloat16* x, const __nv_bfloat16* r, const __nv_bfloat16* w, __nv_bfloat16* y, int64_t rows, int64_t cols, int64_t xs, int64_t rs, int64_t ys, float eps, cudaStream_t s) { return go(x, r, w, y, rows, cols, xs, rs, ys, eps, s); }
