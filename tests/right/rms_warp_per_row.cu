// exercise: rmsnorm
// unusual: five warps of a block, a row each; butterflies; the last block's warps that have no row stay in step
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

template <typename T>
__global__ void kernel(const T* x, const T* residual, const T* weight, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t rs, int64_t ys,
                       float eps) {
    const int64_t row = 5ll * blockIdx.x + threadIdx.y;
    const int64_t mine = row < rows ? cols : 0;
    const T *a = x + row * xs, *b = residual + row * rs;
    float sum = 0.0f;
    for (int64_t c = threadIdx.x; c < mine; c += 32) {
        const float h = (float)a[c] + (float)b[c];
        sum = fmaf(h, h, sum);
    }
    for (int lanes = 1; lanes < 32; lanes <<= 1) sum += __shfl_xor_sync(~0u, sum, lanes);
    const float scale = rsqrtf(sum / cols + eps);
    for (int64_t c = threadIdx.x; c < mine; c += 32) y[row * ys + c] = (T)(((float)a[c] + (float)b[c]) * scale * (float)weight[c]);
}

template <typename T>
cudaError_t run(const T* x, const T* residual, const T* weight, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t rs,
                int64_t ys, float eps, cudaStream_t stream) {
    if (!rows || !cols) return cudaSuccess;
    kernel<<<(unsigned)((rows + 4) / 5), dim3(32, 5), 0, stream>>>(x, residual, weight, y, rows, cols, xs, rs, ys, eps);
    return cudaGetLastError();
}

#define L(name, T)                                                                                                       \
    extern "C" cudaError_t name(const T* x, const T* residual, const T* weight, T* y, int64_t rows, int64_t cols,          \
                                int64_t xs, int64_t rs, int64_t ys, float eps, cudaStream_t stream) {                      \
        return run(x, residual, weight, y, rows, cols, xs, rs, ys, eps, stream);                                           \
    }
L(rmsnorm, float)
L(rmsnorm_f16, __half)
L(rmsnorm_bf16, __nv_bfloat16)
