// Copies that a cuda::barrier or a pipeline's stage is told of, used without a wait there; a barrier that not all agree on.
// n: 64
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
using barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void arrives_only(const float* in, float* out) {
    __shared__ barrier bar;
    __shared__ float tile[64];
    const int t = threadIdx.x;
    if (t == 0) init(&bar, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(&tile[t], in + t, sizeof(float), bar);
    auto token = bar.arrive();
    out[t] = tile[t];  // <- missing-wait tile
    bar.wait(std::move(token));
}
__global__ void some_wait(const float* in, float* out) {
    __shared__ barrier bar;
    __shared__ float half[64];
    auto block = cooperative_groups::this_thread_block();
    const int t = block.thread_rank();
    if (t == 0) init(&bar, block.size());
    block.sync();
    cuda::memcpy_async(block, half, in, sizeof half, bar);
    auto token = bar.arrive();
    block.sync();
    if (t < 32) bar.wait(std::move(token));
    out[t] = half[63 - t];  // <- missing-wait half
}
__global__ void no_consumer_wait(const float* in, float* out) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ float stage[64];
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    const int t = block.thread_rank();
    pipe.producer_acquire();
    cuda::memcpy_async(block, stage, in, sizeof stage, pipe);
    pipe.producer_commit();
    block.sync();
    out[t] = stage[t];  // <- missing-wait stage
    pipe.consumer_release();
}
__global__ void no_barrier_after_init(const float* in, float* out) {
    __shared__ barrier early;
    if (threadIdx.x == 0) init(&early, blockDim.x);
    early.arrive_and_wait();  // <- race-shared early
    out[threadIdx.x] = in[threadIdx.x];
}
__global__ void counts_too_many(const float* in, float* out) {
    __shared__ barrier bar;
    __shared__ float tile[64];
    if (threadIdx.x == 0) init(&bar, blockDim.x + 1);
    __syncthreads();
    tile[threadIdx.x] = in[threadIdx.x];
    bar.arrive_and_wait();  // <- deadlock
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    arrives_only<<<1, 64, 0, stream>>>(x, y);
    some_wait<<<1, 64, 0, stream>>>(x, y);
    no_consumer_wait<<<1, 64, 0, stream>>>(x, y);
    no_barrier_after_init<<<1, 64, 0, stream>>>(x, y);
    counts_too_many<<<1, 64, 0, stream>>>(x, y);
    return cudaGetLastError();
}
