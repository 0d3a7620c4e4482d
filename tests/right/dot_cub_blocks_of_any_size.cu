// exercise: dot_product
// unusual: cub::BlockLoad with a guard and cub::BlockReduce, raking, for whatever BLOCK is; sums as double, one atomicAdd a block into the pool's memory
#include <cub/cub.cuh>
#include <cuda_runtime.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 256
#endif
constexpr int kItems = 4;
using Load = cub::BlockLoad<float, BLOCK, kItems, cub::BLOCK_LOAD_STRIPED>;
using Reduce = cub::BlockReduce<double, BLOCK, cub::BLOCK_REDUCE_RAKING>;

__global__ void __launch_bounds__(BLOCK) dot(const float* a, const float* b, double* sum, int64_t n) {
    __shared__ union {
        typename Load::TempStorage load;
        typename Reduce::TempStorage reduce;
    } storage;
    double mine = 0.0;
    constexpr int64_t kTile = (int64_t)BLOCK * kItems;
    for (int64_t at = blockIdx.x * kTile; at < n; at += gridDim.x * kTile) {
        const int valid = n - at < kTile ? (int)(n - at) : (int)kTile;
        float left[kItems], right[kItems];
        Load(storage.load).Load(a + at, left, valid, 0.0f);
        __syncthreads();
        Load(storage.load).Load(b + at, right, valid, 0.0f);
        __syncthreads();
#pragma unroll
        for (int e = 0; e < kItems; ++e) mine += (double)left[e] * (double)right[e];
    }
    const double all = Reduce(storage.reduce).Sum(mine);
    if (threadIdx.x == 0) atomicAdd(sum, all);
}
__global__ void rounded(const double* sum, float* out) { *out = __double2float_rn(*sum); }

extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    double* sum = nullptr;
    cudaError_t e = cudaMallocAsync(&sum, sizeof(double), stream);
    if (e != cudaSuccess) return e;
    e = cudaMemsetAsync(sum, 0, sizeof(double), stream);   // 0.0
    if (e == cudaSuccess) {
        dot<<<80, BLOCK, 0, stream>>>(a, b, sum, n);
        e = cudaGetLastError();
    }
    if (e == cudaSuccess) {
        rounded<<<1, 1, 0, stream>>>(sum, out);
        e = cudaGetLastError();
    }
    const cudaError_t freed = cudaFreeAsync(sum, stream);
    return e != cudaSuccess ? e : freed;
}
