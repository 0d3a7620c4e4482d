// exercise: dot_product
// unusual: sums as pairs of floats, without an error: each product's by fmaf, each sum's by six additions; an operator+ joins them
#include <cuda_runtime.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 256
#endif

struct Pair {
    float high, low;
    __device__ float value() const { return isfinite(high) ? high + low : high; }
};
__device__ Pair operator+(Pair p, Pair q) {
    const float s = __fadd_rn(p.high, q.high);
    const float t = __fsub_rn(s, p.high);
    const float error = __fadd_rn(__fsub_rn(p.high, __fsub_rn(s, t)), __fsub_rn(q.high, t));
    return {s, __fadd_rn(error, __fadd_rn(p.low, q.low))};
}
__device__ Pair operator*(const float& a, const Pair& b) {
    const float product = __fmul_rn(a, b.high);
    return {product, __fmaf_rn(a, b.high, -product)};
}
__device__ Pair join(Pair mine) {
    __shared__ Pair all[BLOCK];
    all[threadIdx.x] = mine;
    for (int step = 1; step < BLOCK; step *= 2) {
        __syncthreads();
        const int i = threadIdx.x * step * 2;
        if (i + step < BLOCK) all[i] = all[i] + all[i + step];
    }
    __syncthreads();
    return all[0];
}
__global__ void __launch_bounds__(BLOCK) products(const float* __restrict__ a, const float* __restrict__ b, Pair* parts, int64_t n) {
    Pair sum{0.0f, 0.0f};
    for (int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (int64_t)gridDim.x * BLOCK) sum = sum + a[i] * Pair{b[i], 0.0f};
    sum = join(sum);
    if (!threadIdx.x) parts[blockIdx.x] = sum;
}
__global__ void __launch_bounds__(BLOCK) finish(const Pair* parts, int count, float* out) {
    Pair sum{0.0f, 0.0f};
    for (int i = threadIdx.x; i < count; i += BLOCK) sum = sum + parts[i];
    sum = join(sum);
    if (!threadIdx.x) *out = sum.value();
}
extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    constexpr int kBlocks = 64;
    void* scratch = nullptr;
    cudaError_t e = cudaMallocAsync(&scratch, kBlocks * sizeof(Pair), stream);
    if (e != cudaSuccess) return e;
    Pair* parts = static_cast<Pair*>(scratch);
    products<<<kBlocks, BLOCK, 0, stream>>>(a, b, parts, n);
    if ((e = cudaGetLastError()) == cudaSuccess) {
        finish<<<1, BLOCK, 0, stream>>>(parts, kBlocks, out);
        e = cudaGetLastError();
    }
    const cudaError_t freed = cudaFreeAsync(scratch, stream);
    return e != cudaSuccess ? e : freed;
}
