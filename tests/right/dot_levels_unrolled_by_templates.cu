// exercise: dot_product
// unusual: the tree is a recursion of templates over a constexpr list of widths, made by a constexpr function for any BLOCK; a std::array of levels
#include <array>
#include <cuda_runtime.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 256
#endif
constexpr int levels_of(int width) { return width <= 1 ? 0 : 1 + levels_of((width + 1) / 2); }
constexpr auto widths_of() {
    std::array<int, levels_of(BLOCK) + 1> widths{};
    int width = BLOCK;
    for (std::size_t i = 0; i < widths.size(); ++i, width = (width + 1) / 2) widths[i] = width;
    return widths;
}
template <int kLevel> struct Tree {
    static constexpr auto kWidths = widths_of();
    static constexpr int kCount = (int)kWidths.size(), kNow = kWidths[kLevel], kNext = kLevel + 1 < kCount ? kWidths[kLevel + 1] : 0;
    static __device__ void climb(volatile float* sums) {
        if constexpr (kLevel + 1 < kCount) {
            if (threadIdx.x + kNext < kNow) sums[threadIdx.x] = sums[threadIdx.x] + sums[threadIdx.x + kNext];
            __syncthreads();
            Tree<kLevel + 1>::climb(sums);
        }
    }
};
template <typename Term> __device__ float block_sum(int64_t n, int64_t first, int64_t step, Term term) {
    __shared__ float sums[BLOCK];
    float s = 0;
    for (int64_t i = first; i < n; i += step) s += term(i);
    sums[threadIdx.x] = s;
    __syncthreads();
    Tree<0>::climb(sums);
    return sums[0];
}
__global__ void parts_of(const float* a, const float* b, int64_t n, float* parts) {
    const float s = block_sum(n, (int64_t)blockIdx.x * BLOCK + threadIdx.x, (int64_t)gridDim.x * BLOCK, [a, b](int64_t i) { return a[i] * b[i]; });
    if (threadIdx.x == 0) parts[blockIdx.x] = s;
}
__global__ void sum_of(const float* parts, int64_t n, float* out) {
    const float s = block_sum(n, threadIdx.x, BLOCK, [=](int64_t i) { return parts[i]; });
    if (threadIdx.x == 0) out[0] = s;
}
extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    const int64_t blocks = n < 4096 ? 1 : n / 4096 < 512 ? n / 4096 : 512;
    float* parts = nullptr;
    cudaError_t e = cudaMallocAsync((void**)&parts, blocks * sizeof(float), stream);
    if (e != cudaSuccess) return e;
    parts_of<<<(unsigned)blocks, BLOCK, 0, stream>>>(a, b, n, parts);
    e = cudaGetLastError();
    if (e == cudaSuccess) {
        sum_of<<<1, BLOCK, 0, stream>>>(parts, blocks, out);
        e = cudaGetLastError();
    }
    const cudaError_t freed = cudaFreeAsync(parts, stream);
    return e != cudaSuccess ? e : freed;
}
