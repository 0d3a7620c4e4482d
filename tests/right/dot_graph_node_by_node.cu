// exercise: dot_product
// unusual: a graph made by hand in each call: a node that clears, a kernel node behind it, launched in the stream and destroyed
#include <cuda_runtime.h>
#include <stdint.h>
#ifndef BLOCK
#define BLOCK 96
#endif
__global__ void dot(const float* a, const float* b, float* out, int64_t n) {
    float sum = 0.0f;
    for (int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (int64_t)gridDim.x * BLOCK) sum += a[i] * b[i];
    __shared__ float sums[BLOCK];
    sums[threadIdx.x] = sum;
    for (int stride = 1; stride < BLOCK; stride *= 2) {
        __syncthreads();
        if (threadIdx.x % (2 * stride) == 0 && threadIdx.x + stride < BLOCK) sums[threadIdx.x] += sums[threadIdx.x + stride];
    }
    if (threadIdx.x == 0) atomicAdd(out, sums[0]);
}
#define TRY(call) if (cudaError_t e_ = (call)) return e_
extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t clear, work;
    TRY(cudaGraphCreate(&graph, 0));
    cudaMemsetParams fill = {};
    fill.dst = out;
    fill.value = 0;
    fill.elementSize = 4;
    fill.width = 1;
    fill.height = 1;
    TRY(cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &fill));
    if (n > 0) {
        void* arguments[] = {&a, &b, &out, &n};
        cudaKernelNodeParams params = {};
        params.func = (void*)dot;
        params.gridDim = dim3(n < 64 * BLOCK ? (unsigned)((n + BLOCK - 1) / BLOCK) : 64u);
        params.blockDim = dim3(BLOCK);
        params.kernelParams = arguments;
        TRY(cudaGraphAddKernelNode(&work, graph, &clear, 1, &params));
    }
    TRY(cudaGraphInstantiate(&exec, graph, 0));
    TRY(cudaGraphLaunch(exec, stream));
    TRY(cudaGraphExecDestroy(exec));
    return cudaGraphDestroy(graph);
}
