// exercise: softmax_tuned
// unusual: long rows by a cluster of four blocks, whose sums lie in each other's shared memory, on a card that has clusters; elsewhere by one block
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
namespace cg = cooperative_groups;

constexpr int kThreads = 256, kWarps = 8, kBlocks = 4;
struct Pair { float m, s; };
__device__ Pair join(Pair a, Pair b) {
    const float m = fmaxf(a.m, b.m), base = m == -INFINITY ? 0.0f : m;
    return {m, a.s * expf(a.m - base) + b.s * expf(b.m - base)};
}
template <typename T> __device__ Pair share(const T* row, int64_t from, int64_t step, int64_t cols, Pair* slots) {
    Pair p{-INFINITY, 0.0f};
    for (int64_t c = from; c < cols; c += step) {
        const float v = (float)row[c];
        if (v > p.m) {
            p.s *= expf(p.m - v);   // 0 the first time
            p.m = v;
        }
        p.s += expf(v - (p.m == -INFINITY ? 0.0f : p.m));
    }
    for (int o = 16; o; o /= 2) p = join(p, {__shfl_xor_sync(~0u, p.m, o), __shfl_xor_sync(~0u, p.s, o)});
    if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = p;
    __syncthreads();
    p = slots[0];
    for (int w = 1; w < kWarps; ++w) p = join(p, slots[w]);
    return p;
}
template <typename T> __global__ void alone(const T* x, T* y, int64_t cols, int64_t xs, int64_t ys) {
    __shared__ Pair slots[kWarps];
    const T* row = x + blockIdx.x * xs;
    const Pair p = share(row, threadIdx.x, kThreads, cols, slots);
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) y[blockIdx.x * ys + c] = T(expf((float)row[c] - p.m) / p.s);
}
template <typename T> __global__ void together(const T* x, T* y, int64_t cols, int64_t xs, int64_t ys) {
#if __CUDA_ARCH__ >= 900
    __shared__ Pair slots[kWarps], ours;
    const cg::cluster_group cluster = cg::this_cluster();
    const int64_t r = blockIdx.x / kBlocks, rank = cluster.block_rank();
    const T* row = x + r * xs;
    Pair p = share(row, rank * kThreads + threadIdx.x, kBlocks * kThreads, cols, slots);
    if (threadIdx.x == 0) ours = p;
    cluster.sync();
    p = {-INFINITY, 0.0f};
    for (int b = 0; b < kBlocks; ++b) p = join(p, *cluster.map_shared_rank(&ours, b));
    for (int64_t c = rank * kThreads + threadIdx.x; c < cols; c += kBlocks * kThreads) y[r * ys + c] = T(expf((float)row[c] - p.m) / p.s);
    cluster.sync();   // nobody leaves while another may still read its pair
#endif
}
template <typename T> cudaError_t launch(const T* x, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    int device = 0, clusters = 0;
    cudaError_t e = cudaGetDevice(&device);
    if (e == cudaSuccess) e = cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, device);
    if (e != cudaSuccess) return e;
    if (!clusters || cols < 2048 || rows > 500000000) {
        alone<<<(unsigned)rows, kThreads, 0, stream>>>(x, y, cols, xs, ys);
        return cudaGetLastError();
    }
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = kBlocks;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t how = {};
    how.gridDim = dim3((unsigned)rows * kBlocks);
    how.blockDim = dim3(kThreads);
    how.stream = stream;
    how.attrs = &attribute;
    how.numAttrs = 1;
    return cudaLaunchKernelEx(&how, together<T>, x, y, cols, xs, ys);
}
#define LAUNCHER(name, T) extern "C" cudaError_t name(const T* x, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t stream) { return launch<T>(x, y, rows, cols, xs, ys, stream); }
LAUNCHER(softmax_tuned, float)
LAUNCHER(softmax_tuned_f16, __half)
LAUNCHER(softmax_tuned_bf16, __nv_bfloat16)
