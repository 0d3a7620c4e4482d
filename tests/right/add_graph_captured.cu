// exercise: vector_add
// unusual: a graph, captured in a stream of its own, made and launched in each call
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out, int64_t n) {
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x) out[i] = __ldg(a + i) + __ldg(b + i);
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    cudaStream_t side;
    cudaError_t error = cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
    if (error != cudaSuccess) return error;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    error = cudaStreamBeginCapture(side, cudaStreamCaptureModeThreadLocal);
    if (error == cudaSuccess) {
        add<<<128, 256, 0, side>>>(a, b, out, n);
        error = cudaStreamEndCapture(side, &graph);
    }
    if (error == cudaSuccess) {
        error = cudaGraphInstantiate(&exec, graph, 0);
        if (error == cudaSuccess) {
            error = cudaGraphLaunch(exec, stream);
            cudaGraphExecDestroy(exec);
        }
        cudaGraphDestroy(graph);
    }
    cudaStreamDestroy(side);
    const cudaError_t last = cudaGetLastError();
    return error != cudaSuccess ? error : last;
}
