// exercise: rmsnorm
// bug: scratch memory for 4096 rows, however many there are
// group: long
// caught: out-of-bounds-write
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int SPLIT = 4;
template <typename T> __global__ void squares(const T* x, const T* r, float* part, int64_t cols, int64_t xs, int64_t rs) {
    __shared__ float s[64];
    const int64_t row = blockIdx.x / SPLIT, slice = blockIdx.x % SPLIT;
    float v = 0.0f;
    for (int64_t c = slice * 64 + threadIdx.x; c < cols; c += 64 * SPLIT) { const float h = (float)x[row * xs + c] + (float)r[row * rs + c]; v = fmaf(h, h, v); }
    s[threadIdx.x] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = s[threadIdx.x] + s[threadIdx.x + 32];
        for (int o = 1; o < 32; o <<= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
        if (threadIdx.x == 0) part[blockIdx.x] = v;
    }
}
template <typename T> __global__ void scale(const T* x, const T* r, const T* w, T* y, const float* part, int64_t rows, int64_t cols, int64_t xs, int64_t rs, int64_t ys, float eps) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * cols) return;
    const int64_t row = i / cols, c = i - row * cols;
    float s = 0.0f;
    for (int k = 0; k < SPLIT; ++k) s += part[row * SPLIT + k];
    y[row * ys + c] = (T)(((float)x[row * xs + c] + (float)r[row * rs + c]) * (1.0f / sqrtf(s / (float)cols + eps)) * (float)w[c]);
}
template <typename T> static cudaError_t run(const T* x, const T* r, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t rs, int64_t ys, float eps, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    static float* part = nullptr;
    if (!part) if (cudaError_t e = cudaMalloc(&part, 4096 * SPLIT * sizeof(float))) return e;
    squares<T><<<(unsigned)(rows * SPLIT), 64, 0, stream>>>(x, r, part, cols, xs, rs);
    cudaError_t e = cudaGetLastError();
    if (!e) { scale<T><<<(unsigned)((rows * cols + 255) / 256), 256, 0, stream>>>(x, r, w, y, part, rows, cols, xs, rs, ys, eps); e = cudaGetLastError(); }
    return e;
}

#define LAUNCHER(name, T) \
extern "C" cudaError_t name(const T* x, const T* residual, const T* weight, T* y, int64_t rows, int64_t cols, \
                            int64_t xs, int64_t rs, int64_t ys, float eps, cudaStream_t stream) { \
    return run<T>(x, residual, weight, y, rows, cols, xs, rs, ys, eps, stream); }
LAUNCHER(rmsnorm, float)
LAUNCHER(rmsnorm_f16, __half)
LAUNCHER(rmsnorm_bf16, __nv_bfloat16)
