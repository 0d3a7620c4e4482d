// exercise: softmax_block
// unusual: cuda::pipeline with the state of a block: tiles of the row come by cuda::memcpy_async while the one before is joined online
#include <cooperative_groups.h>
#include <cuda/pipeline>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
namespace cg = cooperative_groups;
constexpr int kThreads = 128, kTile = 512, kStages = 2;
struct Pair {
    float m, s;
};
__device__ Pair join(Pair a, Pair b) {
    const float m = fmaxf(a.m, b.m);
    if (m == -INFINITY) return {m, a.s + b.s};
    return {m, a.s * expf(a.m - m) + b.s * expf(b.m - m)};
}
__global__ void softmax(const float* x, float* y, int64_t cols, int64_t xs, int64_t ys) {
    __shared__ float tiles[kStages][kTile];
    __shared__ Pair pairs[kThreads];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    const float* row = x + blockIdx.x * xs;
    float* out = y + blockIdx.x * ys;
    const int64_t tiles_of_row = (cols + kTile - 1) / kTile;
    const auto width = [&](int64_t t) { return (int)(cols - t * kTile < kTile ? cols - t * kTile : kTile); };
    const auto begin = [&](int64_t t) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, tiles[t % kStages], row + t * kTile, sizeof(float) * width(t), pipe);
        pipe.producer_commit();
    };
    Pair mine{-INFINITY, 0.0f};
    begin(0);
    for (int64_t t = 0; t < tiles_of_row; ++t) {
        if (t + 1 < tiles_of_row) begin(t + 1);
        pipe.consumer_wait();
        for (int c = threadIdx.x; c < width(t); c += kThreads) {
            const float v = tiles[t % kStages][c];
            mine = join(mine, v == -INFINITY ? Pair{v, 0.0f} : Pair{isnan(v) ? -INFINITY : v, isnan(v) ? v : 1.0f});
        }
        pipe.consumer_release();
    }
    pairs[threadIdx.x] = mine;
    block.sync();
    for (int half = kThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) pairs[threadIdx.x] = join(pairs[threadIdx.x], pairs[threadIdx.x + half]);
        block.sync();
    }
    const auto [m, s] = pairs[0];
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) out[c] = expf(row[c] - m) / s;
}
extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    softmax<<<(unsigned)rows, kThreads, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
