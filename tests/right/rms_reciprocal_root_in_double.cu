// exercise: rmsnorm
// unusual: a sum and a reciprocal root in double, rsqrt of a double; rows along y of the grid, in a loop
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

template <typename T>
__global__ void rms(const T* x, const T* r, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t rs, int64_t ys, float eps) {
    __shared__ double parts[8];
    for (int64_t row = blockIdx.y; row < rows; row += gridDim.y) {
        const T *a = x + row * xs, *b = r + row * rs;
        double squares = 0.0;
        for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) {
            const double h = (double)((float)a[c] + (float)b[c]);
            squares = fma(h, h, squares);
        }
        for (int lanes = 1; lanes <= 16; lanes += lanes) squares += __shfl_xor_sync(0xffffffffu, squares, lanes);
        if (!(threadIdx.x & 31)) parts[threadIdx.x >> 5] = squares;
        __syncthreads();
        double all = 0.0;
#pragma unroll
        for (int k = 7; k >= 0; --k) all += parts[k];
        __syncthreads();
        const float scale = (float)rsqrt(all / (double)cols + (double)eps);
        for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) y[row * ys + c] = (T)(((float)a[c] + (float)b[c]) * scale * (float)w[c]);
    }
}

#define LAUNCHER(name, T)                                                                                                     \
    extern "C" cudaError_t name(const T* x, const T* residual, const T* weight, T* y, int64_t rows, int64_t cols, int64_t xs, \
                                int64_t rs, int64_t ys, float eps, cudaStream_t stream) {                                     \
        if (!rows || !cols) return cudaSuccess;                                                                               \
        rms<T><<<dim3(1, (unsigned)(rows < 65535 ? rows : 65535)), 256, 0, stream>>>(x, residual, weight, y, rows, cols, xs,  \
                                                                                     rs, ys, eps);                            \
        return cudaGetLastError();                                                                                            \
    }
LAUNCHER(rmsnorm, float)
LAUNCHER(rmsnorm_f16, __half)
LAUNCHER(rmsnorm_bf16, __nv_bfloat16)
