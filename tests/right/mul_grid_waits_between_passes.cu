// exercise: softmax_mul
// unusual: a cooperative launch for few long rows: blocks share a row, leave pairs in scratch, wait for the whole grid, and each joins all pairs of its row
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
namespace cg = cooperative_groups;

constexpr int kThreads = 128;
template <typename T> struct Args { const T *x, *w; T* y; int64_t rows, cols, xs, ws, ys; int share; float2* pairs; };
__device__ float2 joined(float2 a, float2 b) {
    const float m = fmaxf(a.x, b.x), base = m == -INFINITY ? 0.0f : m;
    return make_float2(m, a.y * expf(a.x - base) + b.y * expf(b.x - base));
}
__device__ float2 of_block(float2 p) {
    __shared__ float2 all[kThreads];
    __syncthreads();
    all[threadIdx.x] = p;
    for (int w = kThreads / 2; w; w /= 2) {
        __syncthreads();
        if (threadIdx.x < w) {
            const float2 left = all[threadIdx.x], right = all[threadIdx.x + w];
            all[threadIdx.x] = joined(left, right);
        }
    }
    __syncthreads();
    return all[0];
}
template <typename T> __global__ void together(Args<T> a) {
    const cg::grid_group grid = cg::this_grid();
    const int teams = gridDim.x / a.share, team = blockIdx.x / a.share, part = blockIdx.x % a.share;
    for (int64_t first = 0; first < a.rows; first += teams) {   // all blocks make the same turns
        const int64_t row = first + team;
        float2 p = make_float2(-INFINITY, 0.0f);
        if (row < a.rows) {
            for (int64_t c = part * kThreads + threadIdx.x; c < a.cols; c += a.share * kThreads) {
                const float v = (float)a.x[row * a.xs + c];
                p = joined(p, make_float2(isnan(v) ? 0.0f : v, isnan(v) || v == INFINITY ? NAN : v == -INFINITY ? 0.0f : 1.0f));
            }
            p = of_block(p);
            if (threadIdx.x == 0) a.pairs[blockIdx.x] = p;
        }
        grid.sync();
        if (row < a.rows) {
            p = make_float2(-INFINITY, 0.0f);
            for (int b = 0; b < a.share; ++b) {
                const float2 q = a.pairs[team * a.share + b];
                p = joined(p, q);
            }
            for (int64_t c = part * kThreads + threadIdx.x; c < a.cols; c += a.share * kThreads)
                a.y[row * a.ys + c] = T(expf((float)a.x[row * a.xs + c] - p.x) / p.y * (float)a.w[row * a.ws + c]);
        }
        grid.sync();   // before a pair is written over
    }
}
template <typename T> __global__ void alone(Args<T> a) {
    const int64_t row = blockIdx.x;
    float2 p = make_float2(-INFINITY, 0.0f);
    for (int64_t c = threadIdx.x; c < a.cols; c += kThreads) p.x = fmaxf(p.x, (float)a.x[row * a.xs + c]);
    const float base = p.x == -INFINITY ? 0.0f : p.x;
    for (int64_t c = threadIdx.x; c < a.cols; c += kThreads) p.y += expf((float)a.x[row * a.xs + c] - base);
    p = of_block(p);
    for (int64_t c = threadIdx.x; c < a.cols; c += kThreads) a.y[row * a.ys + c] = T(expf((float)a.x[row * a.xs + c] - p.x) / p.y * (float)a.w[row * a.ws + c]);
}
template <typename T> cudaError_t launch(Args<T> a, cudaStream_t stream) {
    if (a.rows <= 0 || a.cols <= 0) return cudaSuccess;
    if (a.cols < 4096 || a.rows > 64) {
        alone<<<(unsigned)a.rows, kThreads, 0, stream>>>(a);
        return cudaGetLastError();
    }
    int device = 0, processors = 0, resident = 0;
    cudaError_t e = cudaGetDevice(&device);
    if (!e) e = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (!e) e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, together<T>, kThreads, 0);
    if (e) return e;
    const int most = processors * resident < 16 ? processors * resident : 16;
    a.share = most < 4 ? most : 4;
    const unsigned blocks = most / a.share * a.share;
    e = cudaMallocAsync((void**)&a.pairs, blocks * sizeof(float2), stream);
    if (e) return e;
    void* args[] = {&a};
    e = cudaLaunchCooperativeKernel((const void*)together<T>, dim3(blocks), dim3(kThreads), args, 0, stream);
    const cudaError_t freed = cudaFreeAsync(a.pairs, stream);
    return e ? e : freed;
}
#define LAUNCHER(name, T) extern "C" cudaError_t name(const T* x, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys, cudaStream_t s) { return launch<T>({x, w, y, rows, cols, xs, ws, ys, 0, nullptr}, s); }
LAUNCHER(softmax_mul, float)
LAUNCHER(softmax_mul_f16, __half)
LAUNCHER(softmax_mul_bf16, __nv_bfloat16)
