// exercise: vector_add
// unusual: blocks load their tiles by cooperative_groups::memcpy_async, wait, and add
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_runtime.h>
#include <stdint.h>
namespace cg = cooperative_groups;
constexpr int kTile = 512;

__global__ void add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out, int64_t n) {
    __shared__ float left[kTile], right[kTile];
    auto block = cg::this_thread_block();
    for (int64_t start = (int64_t)blockIdx.x * kTile; start < n; start += (int64_t)gridDim.x * kTile) {
        const int here = (int)(n - start < kTile ? n - start : kTile);
        cg::memcpy_async(block, left, a + start, here * sizeof(float));
        cg::memcpy_async(block, right, b + start, here * sizeof(float));
        cg::wait(block);
        for (int i = block.thread_rank(); i < here; i += block.num_threads()) out[start + i] = left[i] + right[i];
        block.sync();
    }
}
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    int64_t blocks = (n + kTile - 1) / kTile;
    add<<<(unsigned)(blocks < 65535 ? blocks : 65535), 128, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
