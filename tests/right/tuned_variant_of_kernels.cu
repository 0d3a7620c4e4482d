// exercise: softmax_tuned
// unusual: the host chooses a plan, a std::variant of three, and std::visit launches it by an overload set of lambdas; a warp, a block, or a tile of it a row
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <math.h>
#include <variant>
namespace cg = cooperative_groups;

struct Tiles { int64_t blocks; };
struct Warps { int64_t blocks; };
struct Blocks { int64_t blocks; int threads; };
using Plan = std::variant<Tiles, Warps, Blocks>;
static Plan plan_for(std::int64_t rows, std::int64_t cols) {
    if (cols <= 32) return Tiles{(rows + 31) / 32};
    if (cols <= 1024) return Warps{(rows + 3) / 4};
    return Blocks{rows, cols < 8192 ? 256 : 512};
}
template <class... F> struct Overload : F... { using F::operator()...; };
template <class... F> Overload(F...) -> Overload<F...>;

template <typename T, unsigned kLanes> __global__ void by_tiles(const T* x, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys) {
    const auto tile = cg::tiled_partition<kLanes>(cg::this_thread_block());
    const int64_t row = (int64_t)blockIdx.x * tile.meta_group_size() + tile.meta_group_rank();
    if (row >= rows) return;
    float m = -INFINITY, s = 0;
    for (int64_t c = tile.thread_rank(); c < cols; c += kLanes) m = fmaxf(m, (float)x[row * xs + c]);
    m = cg::reduce(tile, m, cg::greater<float>());
    for (int64_t c = tile.thread_rank(); c < cols; c += kLanes) s += expf((float)x[row * xs + c] - m);
    s = cg::reduce(tile, s, cg::plus<float>());
    for (int64_t c = tile.thread_rank(); c < cols; c += kLanes) y[row * ys + c] = (T)(expf((float)x[row * xs + c] - m) / s);
}
template <typename T> __global__ void by_blocks(const T* x, T* y, int64_t cols, int64_t xs, int64_t ys) {
    __shared__ float slots[2][32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    const T* in = x + blockIdx.x * xs;
    float m = -INFINITY, s = 0;
    for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) m = fmaxf(m, (float)in[c]);
    slots[0][warp] = cg::reduce(tile, m, cg::greater<float>());
    cg::this_thread_block().sync();
    m = cg::reduce(tile, lane < warps ? slots[0][lane] : -INFINITY, cg::greater<float>());
    for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) s += expf((float)in[c] - m);
    slots[1][warp] = cg::reduce(tile, s, cg::plus<float>());
    cg::this_thread_block().sync();
    s = cg::reduce(tile, lane < warps ? slots[1][lane] : 0.0f, cg::plus<float>());
    for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) y[blockIdx.x * ys + c] = (T)(expf((float)in[c] - m) / s);
}
template <typename T> cudaError_t launch(const T* x, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    std::visit(Overload{[&](Tiles p) { by_tiles<T, 4><<<(unsigned)p.blocks, 128, 0, stream>>>(x, y, rows, cols, xs, ys); },
                        [&](Warps p) { by_tiles<T, 32><<<(unsigned)p.blocks, 128, 0, stream>>>(x, y, rows, cols, xs, ys); },
                        [&](Blocks p) { by_blocks<T><<<(unsigned)p.blocks, p.threads, 0, stream>>>(x, y, cols, xs, ys); }},
               plan_for(rows, cols));
    return cudaGetLastError();
}
extern "C" cudaError_t softmax_tuned(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t s) { return launch(x, y, rows, cols, xs, ys, s); }
extern "C" cudaError_t softmax_tuned_f16(const __half* x, __half* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t s) { return launch(x, y, rows, cols, xs, ys, s); }
extern "C" cudaError_t softmax_tuned_bf16(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t s) { return launch(x, y, rows, cols, xs, ys, s); }
