// exercise: softmax_tuned
// unusual: warps of two roles: two copy stretches of the row to shared memory, six work on them; they meet at mbarriers in libcu++, full and empty, two stages
#include <cuda/barrier>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

using Barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int kCopy = 64, kWork = 192, kAll = kCopy + kWork, kStretch = 768, kStages = 2;

__device__ float2 joined(float2 a, float2 b) {
    const float m = fmaxf(a.x, b.x), base = m == -INFINITY ? 0.0f : m;
    return make_float2(m, a.y * expf(a.x - base) + b.y * expf(b.x - base));
}
template <typename T> __global__ void __launch_bounds__(kAll) softmax(const T* x, T* y, int64_t cols, int64_t xs, int64_t ys) {
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier full[kStages], empty[kStages];
    __shared__ float stage[kStages][kStretch];
    __shared__ float2 pairs[kWork / 32];
    const T* in = x + blockIdx.x * xs;
    const int t = threadIdx.x;
    if (t < kStages) {
        init(&full[t], kAll);
        init(&empty[t], kAll);
    }
    __syncthreads();
    const int64_t stretches = (cols + kStretch - 1) / kStretch;
    if (t < kCopy) {
        for (int64_t i = 0; i < stretches; ++i) {
            const int s = i % kStages;
            if (i >= kStages) empty[s].arrive_and_wait();
            for (int64_t j = t; j < kStretch && i * kStretch + j < cols; j += kCopy) stage[s][j] = (float)in[i * kStretch + j];
            (void)full[s].arrive();
        }
    } else {
        float2 p = make_float2(-INFINITY, 0.0f);
        for (int64_t i = 0; i < stretches; ++i) {
            const int s = i % kStages;
            full[s].arrive_and_wait();
            for (int64_t j = t - kCopy; j < kStretch && i * kStretch + j < cols; j += kWork) {
                const float v = stage[s][j], m = fmaxf(p.x, v), base = m == -INFINITY ? 0.0f : m;
                p = make_float2(m, p.y * expf(p.x - base) + expf(v - base));
            }
            if (i + kStages < stretches) (void)empty[s].arrive();
        }
        for (int o = 1; o < 32; o <<= 1) p = joined(p, make_float2(__shfl_xor_sync(~0u, p.x, o), __shfl_xor_sync(~0u, p.y, o)));
        if (t % 32 == 0) pairs[(t - kCopy) / 32] = p;
    }
    __syncthreads();
    float2 p = pairs[0];
    for (int w = 1; w < kWork / 32; ++w) p = joined(p, pairs[w]);
    for (int64_t c = t; c < cols; c += kAll) y[blockIdx.x * ys + c] = T(expf((float)in[c] - p.x) / p.y);
}
template <typename T> cudaError_t launch(const T* x, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    softmax<<<(unsigned)rows, kAll, 0, stream>>>(x, y, cols, xs, ys);
    return cudaGetLastError();
}
extern "C" cudaError_t softmax_tuned(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t s) { return launch(x, y, rows, cols, xs, ys, s); }
extern "C" cudaError_t softmax_tuned_f16(const __half* x, __half* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t s) { return launch(x, y, rows, cols, xs, ys, s); }
extern "C" cudaError_t softmax_tuned_bf16(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t s) { return launch(x, y, rows, cols, xs, ys, s); }
