// recompute: y[r][c] = w[r] * f(x[c]), where f costs `rounds` times tanh. Fused, every row computes f again.
//
// Bench: python -m audits.overhead
//
// The idea: broadcast_fused is one kernel and calls f rows * cols times; broadcast_apart writes f(x) once, cols
// values, and reads it back in a second kernel. Both write the same y, and nearly the same bytes.
//
// But: at most 65535 rows; with rounds = 1 the memory hides the difference: the fused one loses only when f costs
// more than a store.

#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kThreads = 256;

__device__ float costly(float x, int64_t rounds) {
    for (int64_t k = 0; k < rounds; ++k) x = tanhf(x) + 0.25f;
    return x;
}

__global__ void fused_kernel(const float* x, const float* w, float* y, int64_t cols, int64_t rounds) {
    const int64_t r = blockIdx.y, c = (int64_t)blockIdx.x * kThreads + threadIdx.x;
    if (c < cols) y[r * cols + c] = w[r] * costly(x[c], rounds);
}

__global__ void once_kernel(const float* x, float* t, int64_t cols, int64_t rounds) {
    const int64_t c = (int64_t)blockIdx.x * kThreads + threadIdx.x;
    if (c < cols) t[c] = costly(x[c], rounds);
}

__global__ void spread_kernel(const float* t, const float* w, float* y, int64_t cols) {
    const int64_t r = blockIdx.y, c = (int64_t)blockIdx.x * kThreads + threadIdx.x;
    if (c < cols) y[r * cols + c] = w[r] * t[c];
}

static dim3 blocks(int64_t cols, int64_t rows) { return dim3((unsigned)((cols + kThreads - 1) / kThreads), (unsigned)rows); }

extern "C" cudaError_t broadcast_fused(const float* x, const float* w, float* y, int64_t rows, int64_t cols,
                                       int64_t rounds, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    fused_kernel<<<blocks(cols, rows), kThreads, 0, stream>>>(x, w, y, cols, rounds);
    return cudaGetLastError();
}

extern "C" cudaError_t broadcast_apart(const float* x, const float* w, float* t, float* y, int64_t rows, int64_t cols,
                                       int64_t rounds, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    once_kernel<<<blocks(cols, 1), kThreads, 0, stream>>>(x, t, cols, rounds);
    spread_kernel<<<blocks(cols, rows), kThreads, 0, stream>>>(t, w, y, cols);
    return cudaGetLastError();
}
