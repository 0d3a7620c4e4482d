// Flags that hand over less than is read behind them: relaxed, of a block only, with a fence too narrow. A plain store beside atomics.
// n: 64
#include <cuda/atomic>

template <class Flag>
__device__ void hand(Flag& flag, cuda::memory_order order, float* box, float* out) {
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            *box = 1;  // <- race-global relaxed, race-global narrow
            flag.store(1, order);
        }
    } else if (threadIdx.x == 0) {
        while (flag.load(cuda::memory_order_acquire) == 0) {
        }
        *out = *box;
    }
}
__device__ float relaxed, narrow, fenced;
__device__ cuda::atomic<int, cuda::thread_scope_device> flag1;
__device__ cuda::atomic<int, cuda::thread_scope_block> flag2;
__device__ cuda::atomic<int, cuda::thread_scope_device> flag3, counter;

__global__ void by_relaxed(float* out) { hand(flag1, cuda::memory_order_relaxed, &relaxed, out); }
__global__ void by_block(float* out) { hand(flag2, cuda::memory_order_release, &narrow, out); }
__global__ void by_fence(float* out) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        fenced = 1;  // <- race-global fenced
        cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_block);
        flag3.store(1, cuda::memory_order_relaxed);
    } else if (threadIdx.x == 0) {
        while (flag3.load(cuda::memory_order_acquire) == 0) {
        }
        *out = fenced;
    }
}
__global__ void beside(int* plain, float* out) {
    if (threadIdx.x == 0) *plain = 0;
    if (threadIdx.x == 40) cuda::atomic_ref<int>(*plain).fetch_add(1);  // <- race-global plain
    out[threadIdx.x] = 0;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    int* plain = nullptr;
    cudaMallocAsync(&plain, 4, stream);
    by_relaxed<<<2, 32, 0, stream>>>(y);
    by_block<<<2, 32, 0, stream>>>(y + 1);
    by_fence<<<2, 32, 0, stream>>>(y + 2);
    beside<<<1, 64, 0, stream>>>(plain, y);
    cudaFreeAsync(plain, stream);
    return cudaGetLastError();
}
