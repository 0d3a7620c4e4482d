// cuda::barrier: a phase in two halves, in a loop, with threads that drop out, and told of copies by a thread or by the block. Then
// pipelines of a block whose first warp, or whose threads by role, fetch what the others use.
// n: 512
// Result: np.concatenate([x[63::-1] + 3, x[127:63:-1], x[191:127:-1], x[255:191:-1], x[319:255:-1], x[383:319:-1], np.zeros(128)])
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <utility>
#pragma nv_diag_suppress static_var_with_dynamic_init
using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cg = cooperative_groups;

__global__ void halves(const float* in, float* out) {
    __shared__ barrier bar;
    __shared__ float tile[64];
    const int t = threadIdx.x;
    if (t == 0) init(&bar, blockDim.x);
    __syncthreads();
    tile[t] = in[t];
    barrier::arrival_token token = bar.arrive();
    const float other = in[t] * 0 + 1;
    bar.wait(std::move(token));
    float v = tile[63 - t] + other;
    for (int i = 0; i < 2; i++) {
        bar.arrive_and_wait();
        tile[63 - t] = v;
        bar.arrive_and_wait();
        v = tile[63 - t] + 1;
    }
    if (t >= 32) {
        out[t] = v;
        bar.arrive_and_drop();
        return;
    }
    bar.arrive_and_wait();
    bar.arrive_and_wait();
    out[t] = v;
}
__global__ void copies(const float* in, float* out) {
    __shared__ barrier bar, second;
    __shared__ alignas(16) float tile[64], whole[64], late[64];
    auto block = cg::this_thread_block();
    const int t = block.thread_rank();
    if (t == 0) {
        init(&bar, block.size());
        init(&second, block.size());
    }
    block.sync();
    cuda::memcpy_async(&tile[t], in + t, sizeof(float), bar);
    cuda::memcpy_async(block, whole, in + 64, cuda::aligned_size_t<16>(sizeof whole), bar);
    bar.arrive_and_wait();
    out[t] = tile[63 - t];
    out[64 + t] = whole[63 - t];
    cuda::memcpy_async(block, late, in + 128, sizeof late, second);
    auto token = second.arrive();
    block.sync();  // orders the copies' beginning; their end is told to the barrier
    second.wait(std::move(token));
    out[128 + t] = late[63 - t];
    block.sync();
    cuda::memcpy_async(block, tile, in + 128, sizeof tile, bar);
    token = bar.arrive();
    if (t == 0) bar.wait(std::move(token));  // one waits for all
    block.sync();
    if (tile[t] != late[t]) out[t] = -1;
}
template <bool by_role>
__global__ void partitioned(const float* in, float* out) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ float ring[2][16];
    auto block = cg::this_thread_block();
    const bool producer = by_role ? threadIdx.x % 2 == 0 : threadIdx.x < 16;
    const int i = by_role ? threadIdx.x / 2 : threadIdx.x % 16;
    auto pipe = by_role ? cuda::make_pipeline(block, &state, producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer)
                        : cuda::make_pipeline(block, &state, 16);
    for (int s = 0; s < 4; s++) {
        if (producer) {
            pipe.producer_acquire();
            cuda::memcpy_async(&ring[s % 2][i], in + 16 * s + i, sizeof(float), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            out[63 - 16 * s - i] = ring[s % 2][i];
            pipe.consumer_release();
        }
    }
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    cudaMemsetAsync(y, 0, n * sizeof(float), stream);
    halves<<<1, 64, 0, stream>>>(x, y);
    copies<<<1, 64, 0, stream>>>(x + 64, y + 64);
    partitioned<false><<<1, 32, 0, stream>>>(x + 256, y + 256);
    partitioned<true><<<1, 32, 0, stream>>>(x + 320, y + 320);
    return cudaGetLastError();
}
