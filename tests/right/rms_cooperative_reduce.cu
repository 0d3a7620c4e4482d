// exercise: rmsnorm
// unusual: cg::reduce of a tile of 32, then of the block by atomics of shared memory; rows in a grid-stride loop with a sum per parity
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

template <typename T>
__global__ void kernel(const T* x, const T* residual, const T* weight, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t rs, int64_t ys,
                       float eps) {
    __shared__ float total[2];
    const cg::thread_block block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    if (block.thread_rank() < 2) total[block.thread_rank()] = 0;
    block.sync();
    int turn = 0;
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x, turn ^= 1) {
        float sum = 0;
        for (int64_t c = block.thread_rank(); c < cols; c += block.size()) {
            const float h = (float)x[row * xs + c] + (float)residual[row * rs + c];
            sum += h * h;
        }
        sum = cg::reduce(warp, sum, cg::plus<float>());
        if (warp.thread_rank() == 0) atomicAdd(&total[turn], sum);
        block.sync();
        const float scale = 1.0f / sqrtf(total[turn] / cols + eps);
        for (int64_t c = block.thread_rank(); c < cols; c += block.size())
            y[row * ys + c] = (T)(((float)x[row * xs + c] + (float)residual[row * rs + c]) * scale * (float)weight[c]);
        block.sync();
        if (block.thread_rank() == 0) total[turn] = 0;
    }
}

template <typename T>
cudaError_t run(const T* x, const T* residual, const T* weight, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t rs,
                int64_t ys, float eps, cudaStream_t stream) {
    if (rows * cols == 0) return cudaSuccess;
    kernel<<<dim3((unsigned)(rows > 37 ? 37 : rows)), cols < 100 ? 32 : 160, 0, stream>>>(x, residual, weight, y, rows, cols, xs, rs, ys, eps);
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
