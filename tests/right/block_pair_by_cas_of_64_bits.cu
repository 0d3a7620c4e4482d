// exercise: softmax_block
// unusual: maximum and sum as one 64-bit word of shared memory, into which each warp's first lane joins its own by a loop of atomicCAS; a union of the two
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

union Word {
    unsigned long long bits;
    float pair[2];
};
__device__ unsigned long long packed(float top, float sum) {
    Word w;
    w.pair[0] = top;
    w.pair[1] = sum;
    return w.bits;
}
__device__ unsigned long long joined(unsigned long long a, unsigned long long b) {
    Word p, q;
    p.bits = a;
    q.bits = b;
    const float top = fmaxf(p.pair[0], q.pair[0]), base = top == -INFINITY ? 0.0f : top;
    return packed(top, p.pair[1] * expf(p.pair[0] - base) + q.pair[1] * expf(q.pair[0] - base));
}
__global__ void softmax(const float* x, float* y, int64_t cols, int64_t xs, int64_t ys) {
    __shared__ unsigned long long shared;
    if (threadIdx.x == 0) shared = packed(-INFINITY, 0.0f);
    __syncthreads();
    const float* in = x + (int64_t)blockIdx.x * xs;
    float top = -INFINITY, sum = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) top = fmaxf(top, in[c]);
    for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) sum += expf(in[c] - (top == -INFINITY ? 0.0f : top));
    unsigned long long mine = packed(top, sum);
    for (int o = 16; o; o >>= 1) mine = joined(mine, __shfl_down_sync(0xffffffffu, mine, o));
    if (threadIdx.x % 32 == 0) {
        unsigned long long old = atomicAdd(&shared, 0ull), seen;
        do {
            seen = old;
            old = atomicCAS(&shared, seen, joined(seen, mine));
        } while (old != seen);
    }
    __syncthreads();
    Word all;
    all.bits = shared;
    for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) y[blockIdx.x * ys + c] = expf(in[c] - all.pair[0]) / all.pair[1];
}
extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    softmax<<<(unsigned)rows, 256, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}
