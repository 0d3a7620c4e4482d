// exercise: softmax_mul
// unusual: the exponentials lie in dynamic shared memory where the row fits there, and are computed again where it does not
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kThreads = 160;
constexpr int64_t kMost = 10 * 1024;  // floats of a row, 40 KB

struct Bigger {
    __device__ static float join(float a, float b) { return fmaxf(a, b); }
};
struct Plus {
    __device__ static float join(float a, float b) { return a + b; }
};

template <typename How>
__device__ float all(float v, float* parts) {
    for (int lanes = 16; lanes > 0; lanes /= 2) v = How::join(v, __shfl_down_sync(0xffffffffu, v, lanes));
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
    __syncthreads();
    v = parts[0];
    for (int warp = 1; warp < kThreads / 32; ++warp) v = How::join(v, parts[warp]);
    __syncthreads();
    return v;
}

template <typename T, bool kept>
__global__ void kernel(const T* x, const T* w, T* y, int64_t cols, int64_t xs, int64_t ws, int64_t ys) {
    extern __shared__ float row[];
    __shared__ float parts[kThreads / 32];
    x += blockIdx.x * xs;
    float top = -INFINITY, sum = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
        const float v = (float)x[c];
        if (kept) row[c] = v;
        top = fmaxf(top, v);
    }
    top = all<Bigger>(top, parts);
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
        const float e = expf((kept ? row[c] : (float)x[c]) - top);
        if (kept) row[c] = e;
        sum += e;
    }
    sum = all<Plus>(sum, parts);
    for (int64_t c = threadIdx.x; c < cols; c += kThreads)
        y[blockIdx.x * ys + c] = (T)((kept ? row[c] : expf((float)x[c] - top)) / sum * (float)w[blockIdx.x * ws + c]);
}

template <typename T>
cudaError_t run(const T* x, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys, cudaStream_t stream) {
    if (!rows || !cols) return cudaSuccess;
    if (cols <= kMost) kernel<T, true><<<(unsigned)rows, kThreads, cols * sizeof(float), stream>>>(x, w, y, cols, xs, ws, ys);
    else kernel<T, false><<<(unsigned)rows, kThreads, 0, stream>>>(x, w, y, cols, xs, ws, ys);
    return cudaGetLastError();
}

#define L(name, T)                                                                                                          \
    extern "C" cudaError_t name(const T* x, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys, \
                                cudaStream_t stream) {                                                                      \
        return run(x, w, y, rows, cols, xs, ws, ys, stream);                                                                \
    }
L(softmax_mul, float)
L(softmax_mul_f16, __half)
L(softmax_mul_bf16, __nv_bfloat16)
