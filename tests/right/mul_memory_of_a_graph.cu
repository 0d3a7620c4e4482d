// exercise: softmax_mul
// unusual: memory that belongs to a graph: cudaMallocAsync, two launches and cudaFreeAsync are captured in a stream, and the graph is launched in the given one
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kThreads = 128;
template <typename T> __global__ void logarithms(const T* x, float* of, int64_t cols, int64_t xs) {
    __shared__ float all[kThreads];
    float m = -INFINITY, s = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) m = fmaxf(m, (float)x[blockIdx.x * xs + c]);
    all[threadIdx.x] = m;
    __syncthreads();
    for (int w = kThreads / 2; w; w /= 2) {
        if (threadIdx.x < w) all[threadIdx.x] = fmaxf(all[threadIdx.x], all[threadIdx.x + w]);
        __syncthreads();
    }
    m = all[0];
    __syncthreads();
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) s += expf((float)x[blockIdx.x * xs + c] - m);
    all[threadIdx.x] = s;
    __syncthreads();
    for (int w = kThreads / 2; w; w /= 2) {
        if (threadIdx.x < w) all[threadIdx.x] += all[threadIdx.x + w];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        of[2 * (int64_t)blockIdx.x] = m;
        of[2 * (int64_t)blockIdx.x + 1] = logf(all[0]);
    }
}
template <typename T> __global__ void ends(const T* x, const T* w, T* y, const float* of, int64_t cols, int64_t xs, int64_t ws, int64_t ys) {
    const float m = of[2 * (int64_t)blockIdx.x], l = of[2 * (int64_t)blockIdx.x + 1];
    for (int64_t c = threadIdx.x; c < cols; c += kThreads)
        y[blockIdx.x * ys + c] = T(expf((float)x[blockIdx.x * xs + c] - m - l) * (float)w[blockIdx.x * ws + c]);
}
#define UNLESS(call) if (e == cudaSuccess) e = (call)
template <typename T> cudaError_t launch(const T* x, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    cudaStream_t capture = nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    cudaError_t e = cudaStreamCreateWithFlags(&capture, cudaStreamNonBlocking);
    UNLESS(cudaStreamBeginCapture(capture, cudaStreamCaptureModeRelaxed));
    if (e == cudaSuccess) {
        float* of = nullptr;
        e = cudaMallocAsync((void**)&of, 2 * rows * sizeof(float), capture);
        if (e == cudaSuccess) logarithms<<<(unsigned)rows, kThreads, 0, capture>>>(x, of, cols, xs);
        UNLESS(cudaGetLastError());
        if (e == cudaSuccess) ends<<<(unsigned)rows, kThreads, 0, capture>>>(x, w, y, of, cols, xs, ws, ys);
        UNLESS(cudaGetLastError());
        if (of) UNLESS(cudaFreeAsync(of, capture));
        const cudaError_t ended = cudaStreamEndCapture(capture, &graph);
        UNLESS(ended);
    }
    UNLESS(cudaGraphInstantiate(&ready, graph, 0));
    UNLESS(cudaGraphLaunch(ready, stream));
    UNLESS(cudaStreamSynchronize(stream));   // the memory of a graph goes with it
    if (ready) cudaGraphExecDestroy(ready);
    if (graph) cudaGraphDestroy(graph);
    if (capture) cudaStreamDestroy(capture);
    return e;
}
#define LAUNCHER(name, T) extern "C" cudaError_t name(const T* x, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys, cudaStream_t s) { return launch(x, w, y, rows, cols, xs, ws, ys, s); }
LAUNCHER(softmax_mul, float)
LAUNCHER(softmax_mul_f16, __half)
LAUNCHER(softmax_mul_bf16, __nv_bfloat16)
