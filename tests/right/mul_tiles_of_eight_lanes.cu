// exercise: softmax_mul
// unusual: tiles of 8 lanes by cooperative groups, several rows a warp, exp2 with a base-2 maximum
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
template <typename T> __global__ void mul(const T* x, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int64_t row = (int64_t)blockIdx.x * (blockDim.x / 8) + tile.meta_group_rank();
    if (row >= rows) return;
    const T* in = x + row * xs;
    float m = -INFINITY, s = 0.0f;
    for (int64_t c = tile.thread_rank(); c < cols; c += 8) m = fmaxf(m, (float)in[c]);
    m = cg::reduce(tile, m, [](float a, float b) { return fmaxf(a, b); });
    for (int64_t c = tile.thread_rank(); c < cols; c += 8) s += exp2f(((float)in[c] - m) * 1.44269504f);
    s = cg::reduce(tile, s, cg::plus<float>());
    for (int64_t c = tile.thread_rank(); c < cols; c += 8) y[row * ys + c] = (T)(exp2f(((float)in[c] - m) * 1.44269504f) / s * (float)w[row * ws + c]);
}
template <typename T> static cudaError_t run(const T* x, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    mul<T><<<(unsigned)((rows + 15) / 16), 128, 0, stream>>>(x, w, y, rows, cols, xs, ws, ys);
    return cudaGetLastError();
}

#define LAUNCHER(name, T) \
extern "C" cudaError_t name(const T* x, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys, cudaStream_t stream) { \
    return run<T>(x, w, y, rows, cols, xs, ws, ys, stream); }
LAUNCHER(softmax_mul, float)
LAUNCHER(softmax_mul_f16, __half)
LAUNCHER(softmax_mul_bf16, __nv_bfloat16)
