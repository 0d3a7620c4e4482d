// exercise: dot_product
// unusual: cooperative groups of whatever size: coalesced_threads of those that have work, a labeled_partition by parity, their reduce, then atomics
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
#include <stdint.h>
namespace cg = cooperative_groups;

#ifndef BLOCK
#define BLOCK 128
#endif
__global__ void clear(double* sum) { *sum = 0; }
__global__ void dot(const float* a, const float* b, double* sum, int64_t n) {
    const cg::grid_group grid = cg::this_grid();
    double mine = 0;
    bool any = false;
    for (int64_t i = grid.thread_rank(); i < n; i += grid.num_threads()) {
        mine = fma((double)a[i], (double)b[i], mine);
        any = true;
    }
    if (!any) return;
    const cg::coalesced_group here = cg::coalesced_threads();
    const cg::coalesced_group alike = cg::labeled_partition(here, threadIdx.x & 1);
    const double of_group = cg::reduce(alike, mine, cg::plus<double>());
    cg::invoke_one(alike, [&] { atomicAdd(sum, of_group); });
}
__global__ void give(const double* sum, float* out) { *out = (float)*sum; }
extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    double* sum = nullptr;
    cudaError_t e = cudaMallocAsync((void**)&sum, sizeof *sum, stream);
    if (e != cudaSuccess) return e;
    clear<<<1, 1, 0, stream>>>(sum);
    if ((e = cudaGetLastError()) == cudaSuccess) {
        dot<<<60, BLOCK, 0, stream>>>(a, b, sum, n);
        e = cudaGetLastError();
    }
    if (e == cudaSuccess) {
        give<<<1, 1, 0, stream>>>(sum, out);
        e = cudaGetLastError();
    }
    const cudaError_t freed = cudaFreeAsync(sum, stream);
    return e != cudaSuccess ? e : freed;
}
