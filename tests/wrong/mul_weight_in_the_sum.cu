// exercise: softmax_mul
// bug: w is multiplied into the sum as well
// group: shapes
// caught: values
// cause: mul-before-sum
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

template <typename T>
__global__ void kernel(const T* x, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys) {
    __shared__ float part[256];
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const T* px = x + row * xs;
        const T* pw = w + row * ws;
        T* py = y + row * ys;
        float m = -INFINITY;
        for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) m = fmaxf(m, (float)px[c]);
        part[threadIdx.x] = m;
        __syncthreads();
        for (int h = 128; h > 0; h >>= 1) {
            if (threadIdx.x < h) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + h]);
            __syncthreads();
        }
        m = part[0];
        __syncthreads();
        float sum = 0.0f;
        for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) sum += expf((float)px[c] - m) * (float)pw[c];
        part[threadIdx.x] = sum;
        __syncthreads();
        for (int h = 128; h > 0; h >>= 1) {
            if (threadIdx.x < h) part[threadIdx.x] += part[threadIdx.x + h];
            __syncthreads();
        }
        float total = part[0];
        __syncthreads();
        for (int64_t c = threadIdx.x; c < cols; c += blockDim.x)
            py[c] = (T)(expf((float)px[c] - m) / total * (float)pw[c]);
    }
}

template <typename T>
static cudaError_t go(const T* x, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    kernel<T><<<(unsigned)(rows < 100000 ? rows : 100000), 256, 0, stream>>>(x, w, y, rows, cols, xs, ws, ys);
    return cudaGetLastError();
}
extern "C" cudaError_t softmax_mul(const float* x, const float* w, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys, cudaStream_t s) { return go(x, w, y, rows, cols, xs, ws, ys, s); }
extern "C" cudaError_t softmax_mul_f16(const __half* x, const __half* w, __half* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys, cudaStream_t s) { return go(x, w, y, rows, cols, xs, ws, ys, s); }
extern "C" cudaError_t softmax_mul_bf16(const __nv_bfloat16* x, const __nv_bfloat16* w, __nv_bfloat16* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys, cudaStream_t s) { return go(x, w, y, rows, cols, xs, ws, ys, s); }
