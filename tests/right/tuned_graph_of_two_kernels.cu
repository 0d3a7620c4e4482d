// exercise: softmax_tuned
// unusual: each call captures two launches into a graph in a stream of its own and launches that graph in the one that it was given
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kThreads = 128;
struct Statistics { float top, scale; };
template <typename T> __global__ void first(const T* x, Statistics* of, int64_t cols, int64_t xs) {
    __shared__ float v[kThreads];
    const T* in = x + blockIdx.x * xs;
    const unsigned t = threadIdx.x;
    float m = -INFINITY, s = 0;
    for (int64_t c = t; c < cols; c += kThreads) m = fmaxf(m, (float)in[c]);
    v[t] = m;
    __syncthreads();
    for (unsigned w = kThreads / 2; w; w /= 2) {
        if (t < w) v[t] = fmaxf(v[t], v[t + w]);
        __syncthreads();
    }
    m = v[0];
    __syncthreads();
    for (int64_t c = t; c < cols; c += kThreads) s += expf((float)in[c] - m);
    v[t] = s;
    __syncthreads();
    for (unsigned w = kThreads / 2; w; w /= 2) {
        if (t < w) v[t] += v[t + w];
        __syncthreads();
    }
    if (t == 0) {
        const Statistics mine{m, 1.0f / v[0]};
        of[blockIdx.x] = mine;
    }
}
template <typename T> __global__ void second(const T* x, T* y, const Statistics* of, int64_t cols, int64_t xs, int64_t ys) {
    const Statistics mine = of[blockIdx.x];
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) y[blockIdx.x * ys + c] = T(expf((float)x[blockIdx.x * xs + c] - mine.top) * mine.scale);
}
template <typename T> cudaError_t launch(const T* x, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    cudaStream_t own = nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    Statistics* of = nullptr;
    cudaError_t e = cudaMallocAsync((void**)&of, rows * sizeof(Statistics), stream);
    if (e == cudaSuccess) e = cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    if (e == cudaSuccess) e = cudaStreamBeginCapture(own, cudaStreamCaptureModeThreadLocal);
    if (e == cudaSuccess) {
        first<<<(unsigned)rows, kThreads, 0, own>>>(x, of, cols, xs);
        e = cudaGetLastError();
        if (e == cudaSuccess) {
            second<<<(unsigned)rows, kThreads, 0, own>>>(x, y, of, cols, xs, ys);
            e = cudaGetLastError();
        }
        const cudaError_t ended = cudaStreamEndCapture(own, &graph);
        if (e == cudaSuccess) e = ended;
    }
    if (e == cudaSuccess) e = cudaGraphInstantiate(&ready, graph, 0);
    if (e == cudaSuccess) e = cudaGraphLaunch(ready, stream);
    if (ready) cudaGraphExecDestroy(ready);
    if (graph) cudaGraphDestroy(graph);
    if (own) cudaStreamDestroy(own);
    if (of) cudaFreeAsync(of, stream);
    return e;
}
extern "C" cudaError_t softmax_tuned(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t s) { return launch(x, y, rows, cols, xs, ys, s); }
extern "C" cudaError_t softmax_tuned_f16(const __half* x, __half* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t s) { return launch(x, y, rows, cols, xs, ys, s); }
extern "C" cudaError_t softmax_tuned_bf16(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t s) { return launch(x, y, rows, cols, xs, ys, s); }
