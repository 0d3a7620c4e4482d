// exercise: softmax_block
// unusual: the row comes by cp.async in PTX, whose end an mbarrier of the block tells (cp.async.mbarrier.arrive); try_wait in a loop of PTX
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
constexpr int kThreads = 128, kKept = 8192;
__device__ __forceinline__ uint32_t shared_address(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }
__device__ void wait(uint64_t* barrier, unsigned phase) {
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "again:\n"
        "mbarrier.test_wait.parity.shared.b64 done, [%0], %1;\n"
        "@done bra over;\n"
        "bra again;\n"
        "over:\n"
        "}\n" ::"r"(shared_address(barrier)), "r"(phase) : "memory");
}
template <typename F> __device__ float reduce(float v, float* room, F f) {
    for (int d = 1; d < 32; d <<= 1) v = f(v, __shfl_xor_sync(0xffffffffu, v, d));
    if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = v;
    __syncthreads();
    return f(f(room[0], room[1]), f(room[2], room[3]));
}
__global__ void softmax(const float* x, float* y, int64_t cols, int64_t xs, int64_t ys) {
    __shared__ float kept[kKept], tops[4], sums[4];
    __shared__ uint64_t full;
    const float* row = x + blockIdx.x * xs;
    float* out = y + blockIdx.x * ys;
    const int in = (int)(cols < kKept ? cols : kKept);
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(&full)), "r"(kThreads));
    __syncthreads();
    for (int c = threadIdx.x; c < in; c += kThreads)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(kept + c)), "l"(row + c) : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(&full)) : "memory");
    wait(&full, 0);
    const auto at = [&](int64_t c) { return c < in ? kept[c] : row[c]; };
    float m = -INFINITY, s = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) m = fmaxf(m, at(c));
    m = reduce(m, tops, [](float a, float b) { return fmaxf(a, b); });
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) s += expf(at(c) - m);
    s = reduce(s, sums, [](float a, float b) { return a + b; });
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) out[c] = __fdiv_rn(expf(at(c) - m), s);
}
extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    softmax<<<rows, kThreads, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
