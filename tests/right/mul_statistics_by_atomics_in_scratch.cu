// exercise: softmax_mul
// unusual: three kernels launched by a macro, a grid of stretches: maxima by atomicMax of ordered bits in scratch, sums by atomicAdd of doubles, then the product
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr unsigned kThreads = 256, kStretch = 4096;
struct RowState { unsigned long long top; double sum; };   // top: ordered bits, 0 where nothing was seen
__device__ unsigned long long ordered(float v) {
    const unsigned b = __float_as_uint(v);
    return (b & 0x80000000u ? ~b : b | 0x80000000u);
}
__device__ float number(unsigned long long o) {
    const unsigned b = (unsigned)o;
    return __uint_as_float(b & 0x80000000u ? b & 0x7fffffffu : ~b);
}
template <typename T> struct Job { const T *x, *w; T* y; int64_t cols, xs, ws, ys; RowState* states; };
#define STRETCH(job) const int64_t row = blockIdx.x, from = (int64_t)blockIdx.y * kStretch, to = from + kStretch < (job).cols ? from + kStretch : (job).cols

template <typename T> __global__ void maxima(Job<T> job) {
    STRETCH(job);
    float m = -INFINITY;
    for (int64_t c = from + threadIdx.x; c < to; c += kThreads) m = fmaxf(m, (float)job.x[row * job.xs + c]);
    for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_down_sync(~0u, m, o));
    if (threadIdx.x % 32 == 0) atomicMax(&job.states[row].top, ordered(m));
}
template <typename T> __global__ void sums(Job<T> job) {
    STRETCH(job);
    const float m = number(job.states[row].top);
    double s = 0;
    for (int64_t c = from + threadIdx.x; c < to; c += kThreads) s += expf((float)job.x[row * job.xs + c] - m);
    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
    if (threadIdx.x % 32 == 0) atomicAdd(&job.states[row].sum, s);
}
template <typename T> __global__ void products(Job<T> job) {
    STRETCH(job);
    const float m = number(job.states[row].top), s = (float)job.states[row].sum;
    for (int64_t c = from + threadIdx.x; c < to; c += kThreads)
        job.y[row * job.ys + c] = T(expf((float)job.x[row * job.xs + c] - m) / s * (float)job.w[row * job.ws + c]);
}
#define RUN(kernel)                                    \
    if (error == cudaSuccess) {                        \
        kernel<<<grid, kThreads, 0, stream>>>(job);    \
        error = cudaGetLastError();                    \
    }
template <typename T> cudaError_t launch(Job<T> job, int64_t rows, cudaStream_t stream) {
    if (rows <= 0 || job.cols <= 0) return cudaSuccess;
    const dim3 grid((unsigned)rows, (unsigned)((job.cols + kStretch - 1) / kStretch));
    cudaError_t error = cudaMallocAsync((void**)&job.states, rows * sizeof(RowState), stream);
    if (error != cudaSuccess) return error;
    error = cudaMemsetAsync(job.states, 0, rows * sizeof(RowState), stream);
    RUN(maxima)
    RUN(sums)
    RUN(products)
    const cudaError_t freed = cudaFreeAsync(job.states, stream);
    return error != cudaSuccess ? error : freed;
}
#define LAUNCHER(name, T) extern "C" cudaError_t name(const T* x, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys, cudaStream_t s) { return launch<T>({x, w, y, cols, xs, ws, ys, nullptr}, rows, s); }
LAUNCHER(softmax_mul, float)
LAUNCHER(softmax_mul_f16, __half)
LAUNCHER(softmax_mul_bf16, __nv_bfloat16)
