// exercise: dot_product
// unusual: each thread block's range is cut out of n by __umul64hi of a 64-bit fraction; threads walk it in pairs of float2 where they may, __fmaf_rn throughout
#include <cuda_runtime.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 256
#endif
constexpr unsigned kBlocks = 96;
// n * block / kBlocks, rounded down, from the fraction block / kBlocks in units of 2^-64 (rounded up).
__device__ int64_t cut(int64_t n, unsigned block) {
    if (block == kBlocks) return n;
    const unsigned long long fraction = ~0ull / kBlocks * block + (block ? block : 0);
    return (int64_t)__umul64hi((unsigned long long)n, fraction);
}
__device__ float block_sum(float mine) {
    __shared__ float sums[BLOCK];
    sums[threadIdx.x] = mine;
    for (int width = BLOCK; width > 1; width = (width + 1) >> 1) {
        __syncthreads();
        const int other = threadIdx.x + ((width + 1) >> 1);
        if (other < width) sums[threadIdx.x] = __fadd_rn(sums[threadIdx.x], sums[other]);
    }
    __syncthreads();
    return sums[0];
}
__global__ void __launch_bounds__(BLOCK) parts_of(const float* a, const float* b, int64_t n, float* parts) {
    int64_t from = cut(n, blockIdx.x);
    const int64_t to = cut(n, blockIdx.x + 1);
    float s = 0.0f;
    if (((uintptr_t)a | (uintptr_t)b) % sizeof(float2) == 0 && from < to) {
        if (from % 2 && threadIdx.x == 0) s = __fmul_rn(a[from], b[from]);
        from += from % 2;
        const int64_t pairs = (to - from) / 2;
        for (int64_t p = threadIdx.x; p < pairs; p += BLOCK) {
            const float2 u = reinterpret_cast<const float2*>(a + from)[p], v = reinterpret_cast<const float2*>(b + from)[p];
            s = __fmaf_rn(u.y, v.y, __fmaf_rn(u.x, v.x, s));
        }
        from += 2 * pairs;
    }
    for (int64_t i = from + threadIdx.x; i < to; i += BLOCK) s = __fmaf_rn(a[i], b[i], s);
    s = block_sum(s);
    if (threadIdx.x == 0) parts[blockIdx.x] = s;
}
__global__ void __launch_bounds__(BLOCK) sum_of(const float* parts, float* out) {
    float s = 0.0f;
    for (unsigned i = threadIdx.x; i < kBlocks; i += BLOCK) s = __fadd_rn(s, parts[i]);
    s = block_sum(s);
    if (threadIdx.x == 0) *out = s;
}
extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    float* parts = nullptr;
    cudaError_t e = cudaMallocAsync((void**)&parts, kBlocks * sizeof(float), stream);
    if (e != cudaSuccess) return e;
    parts_of<<<kBlocks, BLOCK, 0, stream>>>(a, b, n, parts);
    e = cudaGetLastError();
    if (e == cudaSuccess) {
        sum_of<<<1, BLOCK, 0, stream>>>(parts, out);
        e = cudaGetLastError();
    }
    const cudaError_t freed = cudaFreeAsync(parts, stream);
    return e != cudaSuccess ? e : freed;
}
