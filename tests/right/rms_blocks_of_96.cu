// exercise: rmsnorm
// unusual: 96 threads, three warps
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__device__ float warp_sum(float v) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
    return v;
}

template <class T>
__global__ void rms_kernel(const T *x, const T *r, const T *w, T *y, int64_t cols, int64_t xs, int64_t rs, int64_t ys, float eps) {
    __shared__ float part[32];
    __shared__ float inv;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const T *xr = x + blockIdx.x * xs;
    const T *rr = r + blockIdx.x * rs;
    T *yr = y + blockIdx.x * ys;
    float s = 0.f;
    for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) {
        float h = (float)xr[c] + (float)rr[c];
        s += h * h;
    }
    s = warp_sum(s);
    if (lane == 0) part[warp] = s;
    __syncthreads();
    if (warp == 0) {
        s = lane < warps ? part[lane] : 0.f;
        s = warp_sum(s);
        if (lane == 0) inv = rsqrtf(s / (float)cols + eps);
    }
    __syncthreads();
    for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) {
        float h = (float)xr[c] + (float)rr[c];
        yr[c] = (T)(h * inv * (float)w[c]);
    }
}

template <class T>
cudaError_t go(const T *x, const T *r, const T *w, T *y, int64_t rows, int64_t cols, int64_t xs, int64_t rs, int64_t ys, float eps, cudaStream_t st) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    rms_kernel<T><<<rows, 96, 0, st>>>(x, r, w, y, cols, xs, rs, ys, eps);
    return cudaGetLastError();
}
#define F(name, T) extern "C" cudaError_t name(const T *x, const T *r, const T *w, T *y, int64_t rows, int64_t cols, int64_t xs, int64_t rs, int64_t ys, float eps, cudaStream_t st) { return go(x, r, w, y, rows, cols, xs, rs, ys, eps, st); }
F(rmsnorm, float)
F(rmsnorm_f16, __half)
F(rmsnorm_bf16, __nv_bfloat16)
